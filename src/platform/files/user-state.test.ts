import { describe, expect, it } from 'vitest'
import { userStateFolder } from './user-state.ts'

describe('userStateFolder', () => {
  const home = () => '/home/a'
  const windowsHome = () => 'C:\\Users\\a'

  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, () => string, string]>([
    ['linux', { XDG_STATE_HOME: '/state' }, home, '/state/warrant'],
    ['linux', {}, home, '/home/a/.local/state/warrant'],
    ['linux', { XDG_STATE_HOME: '' }, home, '/home/a/.local/state/warrant'],
    ['linux', { XDG_STATE_HOME: 'in/the/repository' }, home, '/home/a/.local/state/warrant'],
    ['darwin', { LOCALAPPDATA: '/no' }, home, '/home/a/.local/state/warrant'],
    ['win32', { LOCALAPPDATA: 'D:\\Local' }, windowsHome, 'D:\\Local\\warrant'],
    ['win32', { LOCALAPPDATA: 'Local' }, windowsHome, 'C:\\Users\\a\\AppData\\Local\\warrant'],
    ['win32', { XDG_STATE_HOME: '/state' }, windowsHome, 'C:\\Users\\a\\AppData\\Local\\warrant'],
  ])('on %s with %j', (platform, environment, at, expected) => {
    expect(userStateFolder(environment, platform, at)).toBe(expected)
  })
})
