// Reads an expression with its variables, or a schema with rules and an object, a line, and writes what becomes of it: its value or that it
// failed, what it cost and what it was estimated to cost. An answer that the library gave by breaking down is unusable.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/checker"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	// "expression" or "rules"
	Kind       string                     `json:"kind"`
	Version    string                     `json:"version"`
	Expression string                     `json:"expression"`
	Variables  map[string]json.RawMessage `json:"variables"`
	// Expressions of a schema have "self" and "oldSelf" of its type.
	Schema  json.RawMessage `json:"schema"`
	Self    json.RawMessage `json:"self"`
	OldSelf json.RawMessage `json:"oldSelf"`
}

type answer struct {
	Refused  bool     `json:"refused,omitempty"`
	Unusable string   `json:"unusable,omitempty"`
	Type     string   `json:"type,omitempty"`
	Estimate []string `json:"estimate,omitempty"`
	Failed   bool     `json:"failed,omitempty"`
	Value    any      `json:"value"`
	Cost     string   `json:"cost,omitempty"`
	Errors   []string `json:"errors,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		text, err := json.Marshal(reply(in.Bytes()))
		if err != nil {
			text, _ = json.Marshal(answer{Unusable: err.Error()})
		}
		out.Write(text)
		out.WriteByte('\n')
		out.Flush()
	}
}

func reply(line []byte) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Unusable: fmt.Sprint(r)}
		}
	}()
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Unusable: err.Error()}
	}
	if q.Kind == "rules" {
		return rules(q)
	}
	return expression(q)
}

func decode(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := utiljson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func structuralOf(raw json.RawMessage) (*structural.Structural, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &v1); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, err
	}
	return structural.NewStructural(&internal)
}

type sizes struct{ root *apiservercel.DeclType }

func (s sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 || s.root == nil {
		return nil
	}
	at := s.root
	for _, name := range path[1:] {
		switch name {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			f, ok := at.Fields[name]
			if !ok {
				return nil
			}
			at = f.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (sizes) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

func expression(q question) answer {
	options := []cel.EnvOption{}
	var declared []*apiservercel.DeclType
	values := map[string]any{}
	var root *apiservercel.DeclType
	if len(q.Schema) > 0 {
		s, err := structuralOf(q.Schema)
		if err != nil {
			return answer{Unusable: err.Error()}
		}
		root = model.SchemaDeclType(s, false)
		if root == nil {
			return answer{Unusable: "the schema has no type"}
		}
		root = root.MaybeAssignTypeName("selfType")
		declared = append(declared, root)
		options = append(options, cel.Variable("self", root.CelType()), cel.Variable("oldSelf", root.CelType()))
		values["self"] = schemacel.UnstructuredToVal(decode(q.Self), s)
		if len(q.OldSelf) > 0 {
			values["oldSelf"] = schemacel.UnstructuredToVal(decode(q.OldSelf), s)
		}
	}
	for name, raw := range q.Variables {
		options = append(options, cel.Variable(name, cel.DynType))
		values[name] = decode(raw)
	}
	set, err := environment.MustBaseEnvSet(version.MustParse(q.Version)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options, DeclTypes: declared,
	})
	if err != nil {
		return answer{Unusable: err.Error()}
	}
	env := set.NewExpressionsEnv()
	ast, issues := env.Compile(q.Expression)
	if issues != nil {
		return answer{Refused: true}
	}
	estimator := &library.CostEstimator{SizeEstimator: sizes{root}}
	a := answer{Type: ast.OutputType().String()}
	if estimate, err := env.EstimateCost(ast, estimator); err == nil {
		a.Estimate = []string{strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)}
	} else {
		a.Estimate = []string{err.Error()}
	}
	program, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(estimator), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return answer{Refused: true}
	}
	value, details, err := program.ContextEval(context.Background(), values)
	if details != nil && details.ActualCost() != nil {
		a.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil && strings.HasPrefix(err.Error(), "internal error") {
		return answer{Unusable: err.Error()}
	}
	if err != nil {
		a.Failed = true
		if strings.HasPrefix(err.Error(), "operation cancelled") {
			// Where exactly it ends does not matter.
			a.Cost = ""
		}
	} else {
		a.Value = shown(value)
	}
	return a
}

func shown(value ref.Val) any {
	switch v := value.(type) {
	case types.Null:
		return nil
	case types.Bool:
		return bool(v)
	case types.Int:
		return map[string]any{"int": strconv.FormatInt(int64(v), 10)}
	case types.Uint:
		return map[string]any{"uint": strconv.FormatUint(uint64(v), 10)}
	case types.Double:
		f := float64(v)
		switch {
		case math.IsNaN(f):
			return map[string]any{"double": "NaN"}
		case math.IsInf(f, 1):
			return map[string]any{"double": "Infinity"}
		case math.IsInf(f, -1):
			return map[string]any{"double": "-Infinity"}
		}
		return map[string]any{"double": strconv.FormatFloat(f, 'e', -1, 64)}
	case types.String:
		return map[string]any{"string": base64.StdEncoding.EncodeToString([]byte(string(v)))}
	case types.Bytes:
		return map[string]any{"bytes": base64.StdEncoding.EncodeToString([]byte(v))}
	case types.Timestamp:
		return map[string]any{"timestamp": v.Time.UTC().Format("2006-01-02T15:04:05.999999999Z")}
	case types.Duration:
		return map[string]any{"duration": strconv.FormatInt(v.Duration.Nanoseconds(), 10)}
	case *types.Optional:
		if v.HasValue() {
			return map[string]any{"optional": shown(v.GetValue())}
		}
		return map[string]any{"none": true}
	case *types.Type:
		return map[string]any{"type": v.TypeName()}
	case apiservercel.URL:
		return map[string]any{"object": "url", "text": v.URL.String()}
	case apiservercel.IP:
		return map[string]any{"object": "ip", "text": v.Addr.String()}
	case apiservercel.CIDR:
		return map[string]any{"object": "cidr", "text": v.Prefix.String()}
	case apiservercel.Quantity:
		return map[string]any{"object": "quantity", "text": v.Quantity.String()}
	case apiservercel.Semver:
		return map[string]any{"object": "semver", "text": v.Version.String()}
	case traits.Lister:
		list := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			list = append(list, shown(it.Next()))
		}
		return list
	case traits.Mapper:
		entries := [][2]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, [2]any{shown(key), shown(v.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool {
			a, _ := json.Marshal(entries[i][0])
			b, _ := json.Marshal(entries[j][0])
			return string(a) < string(b)
		})
		return map[string]any{"map": entries}
	default:
		return map[string]any{"object": value.Type().TypeName()}
	}
}

// rules are those of a definition: their costs, and what they say about an object.
func rules(q question) answer {
	s, err := structuralOf(q.Schema)
	if err != nil {
		return answer{Unusable: err.Error()}
	}
	validator := schemacel.NewValidator(s, true, celconfig.PerCallLimit)
	if validator == nil {
		return answer{Unusable: "no rules"}
	}
	object, old := decode(q.Self), decode(q.OldSelf)
	options := []schemacel.Option{}
	if old != nil {
		options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: s})))
	}
	errors, left := validator.Validate(context.Background(), nil, s, object, old, celconfig.RuntimeCELCostBudget, options...)
	a := answer{Cost: strconv.FormatInt(celconfig.RuntimeCELCostBudget-left, 10)}
	for _, e := range errors {
		a.Errors = append(a.Errors, e.Error())
	}
	return a
}
