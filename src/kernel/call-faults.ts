import { defineFaults } from './fault.ts'

/** Faults of `invoke` and of the record of a call. */
export const callFaults = defineFaults('call', {
  arguments: { kind: 'invalid', fix: 'Send arguments that fit the input schema in tools/list.' },
  read_only: { kind: 'refused', fix: 'Restart the server without --read-only to allow tools that write.' },
  gate_blocked: {
    kind: 'refused',
    fix: 'Call gate_run to judge the present files. While it blocks, call gate_explain with verdict: true, repair what it names and call gate_run again; the tool is offered again when the gate allows. On the terminal: `warrant gate`, `warrant why`.',
  },
  deadline: { kind: 'exhausted', fix: 'Ask for less at once, or raise limits.callMs.' },
  answer_bytes: { kind: 'exhausted', fix: 'Narrow the request, or raise limits.answerBytes.' },
  unrecorded: {
    kind: 'unavailable',
    fix: 'What the tool did is done, but its record is missing. Run `warrant doctor`, mend the log, then call again.',
  },
})
