import { defineFaults } from '../../kernel/fault.ts'

export const registryFaults = defineFaults('registry', {
  unreachable: {
    kind: 'unavailable',
    fix: 'Check the address of the registry and the network, then try again.',
  },
  unavailable: { kind: 'unavailable', fix: 'Try again later; the registry is busy or failing.' },
  slow: { kind: 'unavailable', fix: 'Try again; the registry or the network is slow.' },
  denied: { kind: 'refused', fix: 'Log in with `docker login`, or request access to this repository.' },
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
    fix: 'If the redirect is intended, name that host with --registries.',
  },
  certificate: {
    kind: 'refused',
    fix: 'Check the name of the registry; for a private certificate authority set NODE_EXTRA_CA_CERTS.',
  },
  garbled: { kind: 'corrupt', fix: 'Check that the address is that of an OCI registry.' },
  too_large: {
    kind: 'exhausted',
    fix: 'Use a smaller packet, or raise --max-packet-bytes if that is the limit.',
  },
  rejected: { kind: 'conflict', fix: 'Correct what the registry rejected and publish again.' },
})
