import { defineFaults } from '../kernel/fault.ts'

export const receiptFaults = defineFaults('receipts', {
  keys_invalid: {
    kind: 'invalid',
    fix: 'Correct the member that the message names; docs/receipts.md describes .warrant/keys.yml.',
  },
  key_invalid: {
    kind: 'invalid',
    fix: 'Give the verifier key of an Ed25519 key: name+hash+base64, as `warrant receipts keys show` prints it.',
  },
  signing_key: {
    kind: 'refused',
    fix: 'Name an Ed25519 key in PEM outside of every repository with --signing-key, or leave the setting out to use the key of this machine.',
  },
  agent: {
    kind: 'unavailable',
    fix: 'Start an ssh-agent, add an Ed25519 key with `ssh-add`, and check SSH_AUTH_SOCK; or sign with the key file: --signer file.',
  },
  key_exists: { kind: 'conflict', fix: 'List the keys with `warrant receipts keys list`.' },
  key_unknown: { kind: 'missing', fix: 'List the keys with `warrant receipts keys list`.' },
  unknown: {
    kind: 'missing',
    fix: 'List the receipts with `warrant receipts list`; fetch those of others with `warrant receipts fetch`.',
  },
  unreadable: {
    kind: 'invalid',
    fix: 'Give a receipt as `warrant receipts export` writes it: one DSSE envelope in JSON.',
  },
})
