import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ClientTable, clientKey } from './client-limits.ts'

describe('one client', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['2001:db8::1:2:3:4', '2001:db8:0:0'],
    ['fe80::1', 'fe80:0:0:0'],
  ])('%s is %s', (address, key) => {
    expect(clientKey(address)).toBe(key)
  })
})

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  open = true
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  write(): void {}
  destroySoon(): void {
    this.open = false
    this.emit('close')
  }
}

const makeTable = (connections: number, bodyBytes: number) => {
  const table = new ClientTable({ connections, bodyBytes }, () => {})
  const connect = (address: string): Socket & FakeSocket => {
    const socket = new FakeSocket(address) as Socket & FakeSocket
    table.open(socket)
    return socket
  }
  return { table, connect }
}

describe('the table of clients', () => {
  it('closes the longest waiting connection of the client with the most', () => {
    const { connect } = makeTable(8, 1000)
    const others = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(connect)
    const greedy = Array.from({ length: 7 }, () => connect('192.0.2.9'))
    expect(others.every(({ open }) => open)).toBe(true)
    expect(greedy.map(({ open }) => open)).toEqual([false, false, true, true, true, true, true])
  })

  it('leaves a connection alone while its request runs, as long as another one waits', () => {
    const { table, connect } = makeTable(4, 1000)
    const sockets = [1, 2, 3].map(() => connect('192.0.2.9'))
    for (const socket of sockets.slice(0, 2)) table.beginRun(socket)
    expect(connect('192.0.2.9').open).toBe(true)
    expect(sockets.map(({ open }) => open)).toEqual([true, true, false])
  })

  it('closes the oldest one when requests that do not end take all places', () => {
    const { table, connect } = makeTable(4, 1000)
    const sockets = [1, 2, 3].map(() => connect('192.0.2.9'))
    for (const socket of sockets) table.beginRun(socket)
    expect(connect('192.0.2.9').open).toBe(true)
    expect(sockets.map(({ open }) => open)).toEqual([false, true, true])
  })

  it('closes the oldest body of the client that sends most, and counts what was kept of it no more', () => {
    const { table, connect } = makeTable(100, 1000)
    const other = connect('192.0.2.1')
    table.keepBytes(other, 300)
    const greedy = [1, 2, 3].map(() => connect('192.0.2.9'))
    for (const socket of greedy) table.keepBytes(socket, 300)
    expect(other.open).toBe(true)
    expect(greedy.map(({ open }) => open)).toEqual([false, true, true])
    const more = connect('192.0.2.9')
    table.keepBytes(more, 100)
    expect([more.open, ...greedy.map(({ open }) => open)]).toEqual([true, false, true, true])
  })
})
