// Reads an object a line and writes how the reference's types print it, as JSON and as protobuf, or that they cannot read it.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

type answer struct {
	Error    bool            `json:"error,omitempty"`
	Object   string `json:"object,omitempty"`
	Protobuf []byte          `json:"protobuf,omitempty"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	reader := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{})
	for input.Scan() {
		var text string
		if err := json.Unmarshal(input.Bytes(), &text); err != nil {
			panic(err)
		}
		output.Encode(printed(reader, []byte(text)))
	}
}

func printed(reader runtime.Serializer, text []byte) answer {
	object, name, err := reader.Decode(text, nil, nil)
	if err != nil {
		return answer{Error: true}
	}
	bytes, err := object.(message).Marshal()
	if err != nil {
		panic(err)
	}
	// As it comes from the store, where empty lists are none.
	stored, err := scheme.Scheme.New(*name)
	if err != nil {
		panic(err)
	}
	if err := stored.(message).Unmarshal(bytes); err != nil {
		panic(err)
	}
	stored.GetObjectKind().SetGroupVersionKind(*name)
	shown, err := json.Marshal(stored)
	if err != nil {
		panic(err)
	}
	return answer{Object: string(shown), Protobuf: bytes}
}
