import { defineFaults } from '../kernel/fault.ts'

export const projectFaults = defineFaults('project', {
  invalid_params: { kind: 'invalid', fix: 'Send arguments that go together.' },
  pattern: { kind: 'invalid', fix: 'Send a valid JavaScript regular expression, or set literal.' },
  binary: { kind: 'invalid', fix: 'Only text is read; this file is something else.' },
  encoding: { kind: 'invalid', fix: 'Only UTF-8 is read; convert the file.' },
})
