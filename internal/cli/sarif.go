package cli

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/knackhq/knack/skill"
)

// The parts of SARIF 2.1.0 that code hosts read.
type (
	sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// sarifLog reports results to code hosts. Every code is a rule, so that the
// same run always numbers them the same way.
func sarifLog(results []lintResult, version string) sarif {
	index := map[skill.Code]int{}
	run := sarifRun{Results: []sarifResult{}, Tool: sarifTool{Driver: sarifDriver{
		Name: "Knack", InformationURI: "https://github.com/knackhq/knack", Version: version,
	}}}
	for i, info := range skill.Codes() {
		index[info.Code] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: string(info.Code), Short: sarifMessage{info.Means}})
	}
	for _, r := range results {
		for _, d := range r.Diagnostics {
			run.Results = append(run.Results, sarifOf(r, d, index[d.Code]))
		}
	}
	return sarif{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	}
}

func sarifOf(r lintResult, d skill.Diagnostic, rule int) sarifResult {
	file := d.File
	if file == "" {
		file = r.Path
	}
	text := d.Message
	if d.Hint != "" {
		text += " (" + d.Hint + ")"
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive is no host
	}
	loc := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}}
	if d.Line > 0 {
		loc.Region = &sarifRegion{StartLine: d.Line}
	}
	return sarifResult{
		RuleID: string(d.Code), RuleIndex: rule, Level: sarifLevel(d.Severity), Message: sarifMessage{text},
		Locations: []sarifLocation{{Physical: loc}},
	}
}

func sarifLevel(s skill.Severity) string {
	if s == skill.Info {
		return "note"
	}
	return string(s) // error and warning are called the same
}
