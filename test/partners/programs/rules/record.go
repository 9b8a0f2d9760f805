// Added to the package of the reference whose tests try rules: writes each object that they try, and what its rules said, as a line of JSON.
package cel

import (
	"encoding/json"
	"os"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var recording sync.Mutex

func record(validator *Validator, given *schema.Structural, object, before any, budget int64, errs field.ErrorList, isRatcheted bool) {
	if validator == nil {
		return
	}
	if given == nil {
		given = validator.Schema
	}
	texts := []string{}
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	text, err := json.Marshal(map[string]any{
		"schema": given.ToKubeOpenAPI(), "isRoot": validator.isResourceRoot, "self": object, "oldSelf": before,
		"budget": budget, "errors": texts, "isRatcheted": isRatcheted,
	})
	if err != nil {
		return // no such object comes from a client
	}
	recording.Lock()
	defer recording.Unlock()
	file, err := os.OpenFile(os.Getenv("RECORD"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	file.Write(append(text, '\n'))
}
