import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ensureSocketFolder, trustedSockets } from '../../../src/cli/client/socketFolder.js'
import { pathsOf } from '../../../src/cli/framework/paths.js'

const folder = mkdtempSync(join(tmpdir(), 'coffer-paths-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the home', () => {
  it.each([
    ['--home over COFFER_HOME', { home: '/a', env: { COFFER_HOME: '/b' } }, '/a'],
    ['a relative --home', { home: 'a', env: {} }, resolve('a')],
    ['COFFER_HOME', { env: { COFFER_HOME: '/b', XDG_DATA_HOME: '/c' } }, '/b'],
    ['an empty COFFER_HOME', { env: { COFFER_HOME: '', XDG_DATA_HOME: '/c' } }, '/c/coffer'],
    ['XDG_DATA_HOME', { env: { XDG_DATA_HOME: '/c', HOME: '/h' } }, '/c/coffer'],
    ['the default, not from a relative XDG_DATA_HOME', { env: { XDG_DATA_HOME: 'c', HOME: '/h' } }, '/h/.local/share/coffer'],
    ['the default of the platform', { env: { HOME: '/h' } }, '/h/.local/share/coffer'],
  ])('is taken from %s', (_, given, home) => expect(pathsOf(given).home).toBe(home))

  it('contains all paths when it is explicit', () => {
    expect(pathsOf({ home: '/h', env: {} })).toEqual({
      home: '/h',
      defaultAccount: '/h/default-account',
      config: '/h/config.toml',
      store: '/h/store',
      files: '/h/files',
      socket: '/h/node.sock',
      socketCandidates: ['/h/node.sock'],
      key: '/h/node.key',
      log: '/h/node.log',
    })
  })

  it.each([
    ['the default home', { env: { HOME: '/h' } }, '/h/.local/state/coffer/node.log'],
    ['the default home, given by --home', { home: '/h/.local/share/coffer', env: { HOME: '/h' } }, '/h/.local/state/coffer/node.log'],
    ['XDG_STATE_HOME', { env: { HOME: '/h', XDG_STATE_HOME: '/s' } }, '/s/coffer/node.log'],
    ['another home', { home: '/a', env: { HOME: '/h', XDG_STATE_HOME: '/s' } }, '/a/node.log'],
  ])('has the log path of %s', (_, given, log) => expect(pathsOf(given).log).toBe(log))

  it('uses the configuration file of --config', () => {
    expect(pathsOf({ home: '/h', config: '/c.toml', env: {} }).config).toBe('/c.toml')
  })
})

describe('the socket of a home with a long path', () => {
  const home = join(folder, 'x'.repeat(120))
  mkdirSync(home)
  const env = { XDG_RUNTIME_DIR: folder }

  it('is created in a short folder, which is the same for all paths of the home', () => {
    const { socket, socketCandidates } = pathsOf({ home, env })
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100)
    expect(socket).toMatch(new RegExp(`^${folder}/coffer-[0-9a-f]{16}/node\\.sock$`))
    const link = join(folder, `link-${'y'.repeat(100)}`)
    symlinkSync(home, link)
    expect(pathsOf({ home: link, env }).socket).toBe(socket)
    expect(pathsOf({ home: `${home}-other`, env }).socket).not.toBe(socket)
    // A node started without the variable listens at another candidate.
    expect(socketCandidates).toContain(pathsOf({ home, env: {} }).socket)
  })

  it('is trusted only in a folder without permissions for others', () => {
    const paths = { ...pathsOf({ home, env }) }
    const own = { ...paths, socketCandidates: [paths.socket] }
    expect(trustedSockets(own)).toEqual([])
    const at = join(paths.socket, '..')
    mkdirSync(at, { mode: 0o755 })
    writeFileSync(paths.socket, '')
    expect(trustedSockets(own)).toEqual([])
    ensureSocketFolder(paths)
    expect(statSync(at).mode & 0o777).toBe(0o700)
    expect(trustedSockets(own)).toEqual([paths.socket])
  })

  it('is refused when its folder is a symbolic link', () => {
    const other = pathsOf({ home, env: { XDG_RUNTIME_DIR: join(folder, 'r') } })
    mkdirSync(join(folder, 'r'))
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 })
    symlinkSync(join(folder, 'elsewhere'), join(other.socket, '..'))
    expect(() => ensureSocketFolder(other)).toThrow(expect.objectContaining({ exit: 4 }))
  })
})
