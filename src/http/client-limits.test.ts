import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ClientTable } from './client-limits.ts'

class FakeSocket extends EventEmitter {
  open = true
  write(): void {}
  destroySoon(): void {
    this.open = false
    this.emit('close')
  }
}

const makeTable = (connections: number) => {
  const table = new ClientTable({ connections, bodyBytes: 1000 }, () => {})
  const connect = (): Socket & FakeSocket => {
    const socket = new FakeSocket() as Socket & FakeSocket
    table.open(socket)
    return socket
  }
  return { table, connect }
}

describe('the table of clients', () => {
  it('closes the connection that has waited longest', () => {
    const { connect } = makeTable(5)
    const sockets = Array.from({ length: 7 }, connect)
    expect(sockets.map(({ open }) => open)).toEqual([false, false, true, true, true, true, true])
  })

  it('leaves a connection alone while its request runs, as long as another one waits', () => {
    const { table, connect } = makeTable(3)
    const sockets = [1, 2, 3].map(() => connect())
    for (const socket of sockets.slice(0, 2)) table.beginRun(socket)
    expect(connect().open).toBe(true)
    expect(sockets.map(({ open }) => open)).toEqual([true, true, false])
  })

  it('closes the oldest one when requests that do not end take all places', () => {
    const { table, connect } = makeTable(3)
    const sockets = [1, 2, 3].map(() => connect())
    for (const socket of sockets) table.beginRun(socket)
    expect(connect().open).toBe(true)
    expect(sockets.map(({ open }) => open)).toEqual([false, true, true])
  })

  it('closes the oldest body, and counts what was kept of it no more', () => {
    const { table, connect } = makeTable(100)
    const sockets = [1, 2, 3, 4].map(connect)
    for (const socket of sockets) table.keepBytes(socket, 300)
    expect(sockets.map(({ open }) => open)).toEqual([false, true, true, true])
    const more = connect()
    table.keepBytes(more, 100)
    expect([more.open, ...sockets.map(({ open }) => open)]).toEqual([true, false, true, true, true])
  })
})
