import { connect } from 'node:net'
import { receiptFaults } from '../../receipts/faults.ts'

/** Ed25519 keys that an ssh-agent holds (draft-ietf-sshm-ssh-agent): the private key never leaves it. */

const REQUEST_IDENTITIES = 11
const IDENTITIES_ANSWER = 12
const SIGN_REQUEST = 13
const SIGN_RESPONSE = 14
const KEY_TYPE = 'ssh-ed25519'
const MAX_ANSWER_BYTES = 256 * 1024
/** A person may have to touch a hardware key. */
const ANSWER_MS = 60_000

const prefixed = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const broken = () => receiptFaults.agent('the ssh-agent gave an answer that cannot be read')

/** Reads length-prefixed parts of an answer. */
class AnswerReader {
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  count(): number {
    if (this.#at + 4 > this.#bytes.length) throw broken()
    const value = this.#bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  part(): Buffer {
    const length = this.count()
    if (this.#at + length > this.#bytes.length) throw broken()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

/** Sends one request, and reads one answer of the wanted type. */
const ask = (socket: string, type: number, body: Uint8Array, wanted: number): Promise<AnswerReader> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const connection = connect(socket)
    const fail = (why: string, cause?: Error) => {
      connection.destroy()
      reject(receiptFaults.agent(why, cause && { cause }))
    }
    connection.setTimeout(ANSWER_MS, () => fail('the ssh-agent did not answer in time'))
    connection.once('error', (cause: NodeJS.ErrnoException) =>
      fail(`the ssh-agent cannot be reached (${cause.code})`, cause),
    )
    connection.once('close', () => fail('the ssh-agent closed the connection'))
    connection.on('data', (part: Buffer) => {
      parts.push(part)
      const answer = Buffer.concat(parts)
      if (answer.length < 5) return
      const length = answer.readUInt32BE(0)
      if (length > MAX_ANSWER_BYTES) return fail('the ssh-agent gave an answer that is too long')
      if (answer.length < 4 + length) return
      connection.destroy()
      if (answer[4] === wanted) resolve(new AnswerReader(answer.subarray(5, 4 + length)))
      else reject(receiptFaults.agent('the ssh-agent refused the request'))
    })
    connection.write(prefixed(Buffer.concat([Buffer.of(type), body])))
  })

const keyBlob = (publicKey: Uint8Array): Buffer =>
  Buffer.concat([prefixed(Buffer.from(KEY_TYPE)), prefixed(publicKey)])

/** The 32 bytes of each Ed25519 key of the agent. */
export const listAgentKeys = async (socket: string): Promise<readonly Buffer[]> => {
  const answer = await ask(socket, REQUEST_IDENTITIES, Buffer.alloc(0), IDENTITIES_ANSWER)
  const keys: Buffer[] = []
  for (let left = answer.count(); left > 0; left -= 1) {
    const blob = new AnswerReader(answer.part())
    answer.part()
    if (blob.part().toString() !== KEY_TYPE) continue
    const publicKey = blob.part()
    if (publicKey.length === 32) keys.push(publicKey)
  }
  return keys
}

/** The agent's Ed25519 signature of bytes: 64 bytes. */
export const signWithAgent = async (
  socket: string,
  publicKey: Uint8Array,
  bytes: Uint8Array,
): Promise<Buffer> => {
  const body = Buffer.concat([prefixed(keyBlob(publicKey)), prefixed(bytes), Buffer.alloc(4)])
  const signature = new AnswerReader((await ask(socket, SIGN_REQUEST, body, SIGN_RESPONSE)).part())
  if (signature.part().toString() !== KEY_TYPE) throw broken()
  return Buffer.from(signature.part())
}
