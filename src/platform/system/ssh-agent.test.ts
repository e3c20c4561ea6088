import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { listAgentKeys, signWithAgent } from './ssh-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'warrant-agent-'))
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

const text = (bytes: Uint8Array | string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(bytes))
  return Buffer.concat([length, Buffer.from(bytes)])
}
const count = (value: number) => text(Buffer.alloc(value)).subarray(0, 4)

/** An agent that gives one answer to every request, whatever its pieces. */
const agent = async (answer: (request: Buffer) => Buffer, pieces = 1): Promise<string> => {
  const path = join(folder, `${servers.length}.sock`)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (request) => {
      const bytes = answer(request as Buffer)
      const size = Math.ceil(bytes.length / pieces)
      for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return path
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const raw = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
const blob = Buffer.concat([text('ssh-ed25519'), text(raw(publicKey))])

describe('the ssh-agent', () => {
  it('lists its Ed25519 keys, and no others', async () => {
    const rsa = Buffer.concat([text('ssh-rsa'), text('e'), text('n')])
    const body = Buffer.concat([Buffer.of(12), count(2), text(rsa), text('work'), text(blob), text('own')])
    for (const pieces of [1, 7]) {
      const keys = await listAgentKeys(await agent(() => text(body), pieces))
      expect(keys.map((key) => key.toString('hex'))).toEqual([raw(publicKey).toString('hex')])
    }
  })

  it('signs with a key that it names', async () => {
    const socket = await agent((request) => {
      // Length, type, key, data, flags.
      const keyLength = request.readUInt32BE(5)
      const data = request.subarray(9 + keyLength + 4, request.length - 4)
      const signed = sign(null, data, createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })))
      return text(Buffer.concat([Buffer.of(14), text(Buffer.concat([text('ssh-ed25519'), text(signed)]))]))
    })
    const message = Buffer.from('what is signed')
    const signature = await signWithAgent(socket, raw(publicKey), message)
    expect(verify(null, message, publicKey, signature)).toBe(true)
  })

  it.each([
    ['that refuses', () => text(Buffer.of(5)), /refused/],
    [
      'with an answer that ends early',
      () => text(Buffer.concat([Buffer.of(12), count(3)])),
      /cannot be read/,
    ],
    [
      'with a length beyond the answer',
      () => text(Buffer.concat([Buffer.of(12), count(1), Buffer.from([0, 0, 255, 255])])),
      /cannot be read/,
    ],
    ['with an endless answer', () => Buffer.from([255, 255, 255, 255, 12]), /too long/],
  ])('%s is a fault', async (_, answer, message) => {
    await expect(listAgentKeys(await agent(answer))).rejects.toThrow(message)
  })

  it('that is not there is a fault with a fix', async () => {
    await expect(listAgentKeys(join(folder, 'none.sock'))).rejects.toThrow(/cannot be reached/)
  })
})
