import { defineFaults } from '../kernel/fault.ts'

export const hookEventFaults = defineFaults('agent_hook', {
  invalid: {
    kind: 'invalid',
    fix: 'The client may be newer than this version of Warrant: update Warrant, or report the event.',
  },
  too_large: { kind: 'invalid', fix: 'Write the file in smaller parts.' },
  edit: {
    kind: 'invalid',
    fix: 'Use a tool of the client that names the file and its text; or update Warrant, if the client is newer.',
  },
})
