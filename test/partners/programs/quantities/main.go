// Reads two quantities a line and writes the canonical text of the first and how it compares with the second, or that one is none.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
)

type question struct {
	Text  string `json:"text"`
	Other string `json:"other"`
}

type refusal struct {
	Error bool `json:"error"`
}

type answer struct {
	Text    string `json:"text"`
	Compare int    `json:"compare"`
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
		output.Encode(reply(q))
	}
}

func reply(q question) any {
	one, err := resource.ParseQuantity(q.Text)
	if err != nil {
		return refusal{true}
	}
	other, err := resource.ParseQuantity(q.Other)
	if err != nil {
		return refusal{true}
	}
	return answer{one.String(), one.Cmp(other)}
}
