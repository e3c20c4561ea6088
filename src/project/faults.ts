import { defineFaults } from '../kernel/fault.ts'

export const projectFaults = defineFaults('project', {
  invalid_params: { kind: 'invalid', fix: 'Correct the arguments as the message says.' },
  pattern: { kind: 'invalid', fix: 'Send a valid JavaScript regular expression, or set literal to true.' },
  grammar: {
    kind: 'invalid',
    fix: 'Choose a TypeScript, JavaScript, Java, Kotlin, Python, Go or Swift file.',
  },
  grammar_missing: { kind: 'unavailable', fix: 'Install the grammar that the message names.' },
  xml: { kind: 'invalid', fix: 'Repair the build file; document types and entities are not read.' },
  binary: { kind: 'invalid', fix: 'Choose a text file: binary files are not read.' },
  encoding: { kind: 'invalid', fix: 'Convert the file to UTF-8: other encodings are not read.' },
})
