// Reads a definition and a series of writes a line and writes what became of the object after each, or which fields were refused.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

type write struct {
	Operation string          `json:"operation"`
	Manager   string          `json:"manager"`
	Force     bool            `json:"force"`
	Object    json.RawMessage `json:"object"`
}

type question struct {
	Definition apiextensionsv1.CustomResourceDefinition `json:"definition"`
	Writes     []write                                  `json:"writes"`
}

type answer struct {
	Refused   string   `json:"refused,omitempty"`
	Fields    []string `json:"fields,omitempty"`
	Words     []string `json:"words,omitempty"`
	Spec      any      `json:"spec,omitempty"`
	Labels    any      `json:"labels,omitempty"`
	Ownership []any    `json:"ownership,omitempty"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var q question
		if err := json.Unmarshal(input.Bytes(), &q); err != nil {
			panic(err)
		}
		output.Encode(answers(q))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A kind is all that is known of objects of one definition.
type kind struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	manager    *managedfields.FieldManager
	name       runtimeschema.GroupVersionKind
}

func answers(q question) any {
	definition := &q.Definition
	version := definition.Spec.Versions[0]
	var internal apiextensions.CustomResourceValidation
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, &internal, nil)
	if err != nil {
		panic(err)
	}
	structural := must(schema.NewStructural(internal.OpenAPIV3Schema))
	if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
		return answer{Refused: "definition"}
	}
	if errs, err := defaulting.ValidateDefaults(context.Background(), nil, structural, true, true); len(errs) > 0 || err != nil {
		return answer{Refused: "definition"}
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		panic(err)
	}
	name := runtimeschema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}
	k := &kind{structural: structural, validator: validator, name: name}
	document := must(builder.BuildOpenAPIV3(definition, version.Name, builder.Options{}))
	types := must(managedfields.NewTypeConverter(document.Components.Schemas, false))
	k.manager = must(managedfields.NewDefaultCRDFieldManager(types, k, k, k, name, name.GroupVersion(), "", nil))
	results := []answer{}
	var live *unstructured.Unstructured
	for _, one := range q.Writes {
		next, refusal := k.written(live, one)
		if refusal != nil {
			results = append(results, *refusal)
			continue
		}
		results = append(results, shown(next))
		live = k.stored(next)
		// Without one every update is taken for a create.
		live.SetUID("1")
	}
	return results
}

func (k *kind) written(live *unstructured.Unstructured, one write) (*unstructured.Unstructured, *answer) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(one.Object); err != nil {
		panic(err)
	}
	before := live
	if before == nil {
		before = &unstructured.Unstructured{}
		before.SetGroupVersionKind(k.name)
	}
	if one.Operation == "apply" {
		next, err := k.manager.Apply(before.DeepCopy(), object, one.Manager, one.Force)
		if err != nil {
			return nil, unapplied(err)
		}
		object = next.(*unstructured.Unstructured)
	} else {
		if (one.Operation == "create") != (live == nil) {
			return nil, &answer{Refused: "absent"}
		}
		object = k.stored(object)
		object = k.manager.UpdateNoErrors(before.DeepCopy(), object, one.Manager).(*unstructured.Unstructured)
	}
	if errs := k.problems(object, live); len(errs) > 0 {
		return nil, &answer{Refused: "invalid", Fields: errs}
	}
	return object, nil
}

func unapplied(err error) *answer {
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		// Members are looked at in any order.
		lines := strings.Split(err.Error(), "\n")
		sort.Strings(lines)
		return &answer{Refused: "typed", Words: lines}
	}
	fields := []string{}
	for _, cause := range status.Status().Details.Causes {
		fields = append(fields, cause.Field)
	}
	sort.Strings(fields)
	return &answer{Refused: "conflict", Fields: fields}
}

// As an object is after it was read: without unknown fields, with defaults.
func (k *kind) stored(object *unstructured.Unstructured) *unstructured.Unstructured {
	copied := object.DeepCopy()
	pruning.Prune(copied.Object, k.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(copied.Object, k.structural)
	defaulting.Default(copied.Object, k.structural)
	objectmeta.Coerce(nil, copied.Object, k.structural, true, true)
	return copied
}

func (k *kind) problems(object, live *unstructured.Unstructured) []string {
	var errs field.ErrorList
	if live == nil {
		errs = validation.ValidateCustomResource(nil, object.Object, k.validator)
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, object.Object)...)
	} else {
		correlated := common.NewCorrelatedObject(object.Object, live.Object, &model.Structural{Structural: k.structural})
		errs = validation.ValidateCustomResourceUpdate(nil, object.Object, live.Object, k.validator, validation.WithRatcheting(correlated))
		if len(listtype.ValidateListSetsAndMaps(nil, k.structural, live.Object)) == 0 {
			errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, object.Object)...)
		}
	}
	errs = append(errs, objectmeta.Validate(nil, object.Object, k.structural, false)...)
	fields := []string{}
	for _, err := range errs {
		fields = append(fields, string(err.Type)+" "+err.Field)
	}
	sort.Strings(fields)
	return fields
}

func shown(object *unstructured.Unstructured) answer {
	ownership := []any{}
	for _, entry := range object.GetManagedFields() {
		ownership = append(ownership, []any{entry.Manager, entry.Operation, json.RawMessage(entry.FieldsV1.GetRawBytes())})
	}
	labels := any(nil)
	if found := object.GetLabels(); found != nil {
		labels = found
	}
	return answer{Spec: object.Object["spec"], Labels: labels, Ownership: ownership}
}

// One version needs no conversion.

func (k *kind) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (k *kind) Convert(in, out, _ any) error {
	in.(*unstructured.Unstructured).DeepCopyInto(out.(*unstructured.Unstructured))
	return nil
}

func (k *kind) ConvertFieldLabel(_ runtimeschema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (k *kind) Default(in runtime.Object) {
	defaulting.Default(in.(*unstructured.Unstructured).Object, k.structural)
}

func (k *kind) New(name runtimeschema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(name)
	return object, nil
}
