// Reads a definition a line, with the one it replaces if there is one, and writes what would be stored, or which fields were refused.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	Before     json.RawMessage `json:"before"`
	Definition json.RawMessage `json:"definition"`
}

type answer struct {
	Unusable bool            `json:"unusable,omitempty"`
	Refused  []string        `json:"refused,omitempty"`
	Spec     json.RawMessage `json:"spec,omitempty"`
}

var (
	scheme   = runtime.NewScheme()
	codecs   = serializer.NewCodecFactory(scheme)
	strategy = customresourcedefinition.NewStrategy(scheme)
)

func main() {
	install.Install(scheme)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var q question
		if err := json.Unmarshal(input.Bytes(), &q); err != nil {
			panic(err)
		}
		output.Encode(answerTo(q))
	}
}

func answerTo(q question) (result answer) {
	defer func() {
		if recover() != nil {
			result = answer{Unusable: true}
		}
	}()
	ctx := context.Background()
	definition, err := decoded(q.Definition)
	if err != nil {
		return answer{Refused: []string{"undecodable"}}
	}
	if q.Before == nil {
		strategy.PrepareForCreate(ctx, definition)
		return outcome(definition, strategy.Validate(ctx, definition))
	}
	before, err := decoded(q.Before)
	if err != nil {
		return answer{Unusable: true}
	}
	strategy.PrepareForCreate(ctx, before)
	if len(strategy.Validate(ctx, before)) > 0 {
		return answer{Unusable: true}
	}
	// As the stored one would have them.
	before.ResourceVersion = "1"
	definition.ResourceVersion = "1"
	definition.Generation = before.Generation
	strategy.PrepareForUpdate(ctx, definition, before)
	return outcome(definition, strategy.ValidateUpdate(ctx, definition, before))
}

func decoded(text []byte) (*apiextensions.CustomResourceDefinition, error) {
	object, _, err := codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	return object.(*apiextensions.CustomResourceDefinition), nil
}

func outcome(definition *apiextensions.CustomResourceDefinition, errs field.ErrorList) answer {
	if len(errs) > 0 {
		seen := map[string]bool{}
		for _, err := range errs {
			seen[string(err.Type)+" "+err.Field] = true
		}
		refused := []string{}
		for one := range seen {
			refused = append(refused, one)
		}
		sort.Strings(refused)
		return answer{Refused: refused}
	}
	text, err := runtime.Encode(codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion), definition)
	if err != nil {
		panic(err)
	}
	var stored struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		panic(err)
	}
	return answer{Spec: stored.Spec}
}
