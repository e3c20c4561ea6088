/** A value that is put in at run time, or that tells the reader to put one in. */
const TEMPLATE =
  /^[<[({].*[>\])}]$|<[^<>]+>|\$\{|\{\{|\{%|#\{|%\(|%[sdv]|\$\(|^\$[\w({]|^%\w+%$|^@\w+\/|^__\w+__$|^\{\w*\}$|\.\.\.|…|process\.env|environ|getenv|\benv[.[(]|secrets\.|^vault:|^arn:|^ref\+|^op:\/\/|^\*+$/i

/** Parts of a text that only an example has; random text contains them less than once in a million. */
const EXAMPLE =
  /example|placeholder|thisis|change[-_]?(?:me|it|this)|dummy|redacted|removed|insert|replace[-_]?(?:me|with|this)|super[-_]?secret|(?:my|your|some)[-_]?(?:own[-_]?)?(?:api|app|auth|access|secret|token|pass|key|client|jwt)|your[-_]|goes[-_]?here|not[-_]?(?:a[-_]?)?(?:real|secret)|do[-_]?not|in[-_]?secure|xxxx|qwerty|asdf|deadbeef|cafebabe|lorem|keyboard ?cat/i

/** The same, as a whole word between other characters. */
const EXAMPLE_WORDS =
  /(?<![A-Za-z0-9])(?:test|testing|tests|fake|sample|demo|mock|mocked|stub|todo|foo|bar|baz|null|none|undefined|local|localhost|dev|default|your|xxx|hidden|masked|sandbox)(?![a-z])/i

/** Whether text in the place of a value only says that a value belongs there. */
export const isTemplateValue = (value: string): boolean =>
  TEMPLATE.test(value) || EXAMPLE.test(value) || EXAMPLE_WORDS.test(value)
