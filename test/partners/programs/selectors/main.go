// Reads a selector or a duration a line and writes how the reference reads it, or that it refuses.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

type question struct {
	Type   string            `json:"type"`
	Text   string            `json:"text"`
	Labels map[string]string `json:"labels"`
}

type answer struct {
	Error   bool     `json:"error,omitempty"`
	Matches *bool    `json:"matches,omitempty"`
	Terms   []string `json:"terms,omitempty"`
	Text    string   `json:"text,omitempty"`
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
		reply, err := read(q)
		if err != nil {
			reply = answer{Error: true}
		}
		output.Encode(reply)
	}
}

func read(q question) (answer, error) {
	switch q.Type {
	case "labels":
		selector, err := labels.Parse(q.Text)
		if err != nil {
			return answer{}, err
		}
		matches := selector.Matches(labels.Set(q.Labels))
		return answer{Matches: &matches}, nil
	case "fields":
		selector, err := fields.ParseSelector(q.Text)
		if err != nil {
			return answer{}, err
		}
		terms := []string{}
		for _, term := range selector.Requirements() {
			terms = append(terms, fmt.Sprintf("%q %v %q", term.Field, term.Operator == "!=", term.Value))
		}
		sort.Strings(terms)
		return answer{Terms: terms}, nil
	default:
		duration, err := time.ParseDuration(q.Text)
		if err != nil {
			return answer{}, err
		}
		return answer{Text: duration.String()}, nil
	}
}
