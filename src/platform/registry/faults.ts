import { defineFaults } from '../../kernel/fault.ts'

export const registryFaults = defineFaults('registry', {
  unreachable: {
    kind: 'unavailable',
    fix: 'Check the address of the registry and the network, and try again.',
  },
  unavailable: { kind: 'unavailable', fix: 'Try again later; the registry is busy or failing.' },
  slow: { kind: 'unavailable', fix: 'Try again; the registry or the way to it is slow.' },
  denied: { kind: 'refused', fix: 'Log in with `docker login`, or ask for the right to this repository.' },
  missing: {
    kind: 'missing',
    fix: 'Check the name and the tag; `warrant packet lookup NAME` lists the versions of a packet.',
  },
  not_allowed: {
    kind: 'refused',
    fix: 'Have the operator name the host with --registry or --registries, and in --allowed-registries where that is set.',
  },
  forbidden_target: {
    kind: 'refused',
    fix: 'If the registry is right to lead there, name that host with --registries.',
  },
  certificate: {
    kind: 'refused',
    fix: 'Check the name of the registry; if its authority is your own, name it in NODE_EXTRA_CA_CERTS.',
  },
  garbled: { kind: 'corrupt', fix: 'Check that the address is that of an OCI registry.' },
  too_large: {
    kind: 'exhausted',
    fix: 'Ask for a smaller packet, or raise --max-packet-bytes where that is the limit.',
  },
  rejected: { kind: 'conflict', fix: 'Read what the registry says, correct it and publish again.' },
})
