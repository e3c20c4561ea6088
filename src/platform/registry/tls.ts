/** Loaded with the first TLS connection: loading it takes longer than all of HTTP. */
export { Agent, request } from 'node:https'
