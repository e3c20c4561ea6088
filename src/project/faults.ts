import { defineFaults } from '../kernel/fault.ts'

export const projectFaults = defineFaults('project', {
  invalid_params: { kind: 'invalid', fix: 'Send arguments that go together.' },
  pattern: { kind: 'invalid', fix: 'Send a valid JavaScript regular expression, or set literal.' },
  grammar: {
    kind: 'invalid',
    fix: 'Symbols are known of TypeScript, JavaScript, Java, Kotlin, Python, Go and Swift.',
  },
  xml: { kind: 'invalid', fix: 'Repair the build file; document types and entities are not read.' },
  binary: { kind: 'invalid', fix: 'Only text is read; this file is something else.' },
  encoding: { kind: 'invalid', fix: 'Only UTF-8 is read; convert the file.' },
})
