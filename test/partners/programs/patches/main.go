// Reads a document and a patch a line and writes what the patch makes of the document, or that it refuses. Or reads states of a
// document and writes the patch between them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"

	jsonpatch "github.com/evanphx/json-patch"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"
)

type question struct {
	Type       string          `json:"type"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Document   json.RawMessage `json:"document"`
	Patch      json.RawMessage `json:"patch"`
	// For patches between states: the document is the state before.
	After   json.RawMessage `json:"after"`
	Current json.RawMessage `json:"current"`
}

type answer struct {
	Error  bool `json:"error,omitempty"`
	Result any  `json:"result,omitempty"`
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
		result, err := patched(q)
		if err != nil {
			output.Encode(answer{Error: true})
		} else {
			output.Encode(answer{Result: result})
		}
	}
}

func patched(q question) (result any, err error) {
	// Some patches make the library panic; a server refuses them.
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	switch q.Type {
	case "json":
		patch, err := jsonpatch.DecodePatch(q.Patch)
		if err != nil {
			return nil, err
		}
		result, err := patch.Apply(q.Document)
		return json.RawMessage(result), err
	case "merge":
		result, err := jsonpatch.MergePatch(q.Document, q.Patch)
		return json.RawMessage(result), err
	case "strategic":
		return merged(q)
	default:
		result, err := created(q)
		return json.RawMessage(result), err
	}
}

func created(q question) ([]byte, error) {
	switch q.Type {
	case "create-merge":
		return jsonpatch.CreateMergePatch(q.Document, q.After)
	case "create-merge-three-way":
		return jsonmergepatch.CreateThreeWayJSONMergePatch(q.Document, q.After, q.Current)
	case "create-strategic":
		return strategicpatch.CreateTwoWayMergePatch(q.Document, q.After, objectOf(q))
	default:
		meta, err := strategicpatch.NewPatchMetaFromStruct(objectOf(q))
		if err != nil {
			panic(err)
		}
		return strategicpatch.CreateThreeWayMergePatch(q.Document, q.After, q.Current, meta, true)
	}
}

func objectOf(q question) runtime.Object {
	version, err := schema.ParseGroupVersion(q.APIVersion)
	if err != nil {
		panic(err)
	}
	object, err := scheme.Scheme.New(version.WithKind(q.Kind))
	if err != nil {
		panic(err)
	}
	return object
}

func merged(q question) (any, error) {
	document, patch := map[string]any{}, map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Document, &document); err != nil {
		panic(err)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Patch, &patch); err != nil {
		return nil, err
	}
	return strategicpatch.StrategicMergeMapPatch(document, patch, objectOf(q))
}
