import { defineFaults, Fault } from '../kernel/fault.ts'
import { optional } from '../kernel/optional.ts'

export const storeFaults = defineFaults('store', {
  genesis: {
    kind: 'conflict',
    fix: 'Use the settings that the log was created with, or another --graph.',
  },
  unreachable: {
    kind: 'unavailable',
    fix: 'Check that the database is running and that the --store address is right.',
  },
  busy: { kind: 'unavailable', fix: 'Another process is writing. Try again.' },
  damaged: {
    kind: 'corrupt',
    // A server opens the database anew when it is another file.
    fix: 'Run `warrant log verify --graph NAME` to find the damaged entry. Move the database away, with its files -wal and -shm. Restore a backup, if there is one. Then run `warrant log adopt --graph NAME`.',
  },
  address: { kind: 'invalid', fix: 'Set --store to a file or a postgres:// address.' },
  name: { kind: 'invalid', fix: 'Use 1 to 64 letters, digits, dots, underscores and hyphens.' },
  newer: { kind: 'invalid', fix: 'Use the version of warrant that wrote it, or a newer one.' },
  absent: { kind: 'missing', fix: 'Use an entry number that is in the log.' },
  unknown: {
    kind: 'missing',
    fix: 'List the existing graphs with `warrant log graph ls`; --root and --store set where it looks. The first call to a server creates a graph.',
  },
  kept: { kind: 'refused', fix: 'This entry records an erasure and cannot be erased itself.' },
  full: { kind: 'exhausted', fix: 'Free disk space where the log is stored, then try again.' },
  changed: {
    kind: 'corrupt',
    fix: 'Restore it from a backup. If you replaced or removed it yourself, run `warrant log adopt --graph NAME`.',
  },
  tracked: {
    kind: 'refused',
    fix: 'Run `git rm --cached` on the file and move it away, so that this machine starts a log of its own. To read it nevertheless, name it with --store.',
  },
  unsettled: {
    kind: 'unavailable',
    fix: 'Read the log before you try again: the entries may have been added.',
  },
})

/**
 * Message of the fault for a file that the database library reports as damaged. It may also have been unable to read
 * it, so this reason does not say anything about an entry.
 */
export const UNREADABLE_STORE = 'the file is damaged'

/** The fault with the log in its fix: a store does not know for which of its logs it is opened. */
export const nameLog = (fault: Fault, log: string): Fault => {
  const { message, cause, detail, fix } = fault
  const named = fix.replaceAll('--graph NAME', `--graph ${log}`)
  return new Fault(fault, message, { cause, fix: named, ...optional({ detail }) })
}
