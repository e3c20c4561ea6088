/** Loaded with the first registry that has a certificate: it takes longer than all of HTTP. */
export { Agent, request } from 'node:https'
