// Writes the cases of the expression language's own conformance tests, one answer for each file that is named: what is evaluated, with
// which variables.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"cel.dev/expr"
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
)

type conformanceCase struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	// Absent where a variable is no JSON, or the case gives names of its own to functions or types.
	Variables map[string]any `json:"variables"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var path string
		if err := json.Unmarshal(input.Bytes(), &path); err != nil {
			panic(err)
		}
		output.Encode(cases(path))
	}
}

func cases(path string) []conformanceCase {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var file test.SimpleTestFile
	if err := prototext.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	found := []conformanceCase{}
	for _, section := range file.Section {
		for _, one := range section.Test {
			name := filepath.Base(path) + " " + section.Name + " " + one.Name
			found = append(found, conformanceCase{name, one.Expr, variables(one)})
		}
	}
	return found
}

func variables(one *test.SimpleTest) map[string]any {
	values := map[string]any{}
	for name, binding := range one.Bindings {
		value, isJSON := jsonOf(binding.GetValue())
		if !isJSON {
			return nil
		}
		values[name] = value
	}
	for _, declaration := range one.TypeEnv {
		if _, isBound := values[declaration.Name]; !isBound {
			return nil
		}
	}
	return values
}

func jsonOf(value *expr.Value) (any, bool) {
	switch kind := value.GetKind().(type) {
	case *expr.Value_NullValue:
		return nil, true
	case *expr.Value_BoolValue:
		return kind.BoolValue, true
	case *expr.Value_Int64Value:
		return kind.Int64Value, true
	case *expr.Value_DoubleValue:
		// A whole number would come back as an integer.
		return kind.DoubleValue, kind.DoubleValue != float64(int64(kind.DoubleValue))
	case *expr.Value_StringValue:
		return kind.StringValue, true
	case *expr.Value_ListValue:
		list := []any{}
		for _, item := range kind.ListValue.Values {
			one, isJSON := jsonOf(item)
			if !isJSON {
				return nil, false
			}
			list = append(list, one)
		}
		return list, true
	case *expr.Value_MapValue:
		members := map[string]any{}
		for _, entry := range kind.MapValue.Entries {
			key, isText := entry.Key.GetKind().(*expr.Value_StringValue)
			one, isJSON := jsonOf(entry.Value)
			if !isText || !isJSON {
				return nil, false
			}
			members[key.StringValue] = one
		}
		return members, true
	default:
		return nil, false
	}
}
