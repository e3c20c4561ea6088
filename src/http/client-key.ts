/** The first half of an IPv6 address: one client can use every address below it. */
const networkOf = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail)]
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

/** What counts as one client: an IPv4 address, an IPv6 network, or this machine. */
export const clientKey = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain === '::1' || plain.startsWith('127.')) return 'loopback'
  return plain.includes(':') ? networkOf(plain) : plain
}
