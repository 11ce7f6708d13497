/** Tests of `coffer open`: opens the owner's pages, signed in, in the browser or prints a link. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram } from '../../../src/cli/client/browser.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor } from '../../support/people/visitor.js'
import { testHome, type TestHome } from '../support/closedHome.js'

let home: TestHome
let node: TestNode
let folder: string
beforeAll(async () => {
  home = await testHome('ana-lovelace')
  node = await startTestNode({}, { home: home.home })
  folder = await mkdtemp(join(tmpdir(), 'coffer-open-'))
})
afterAll(async () => {
  await node.stop()
  await home.remove()
  await rm(folder, { recursive: true, force: true })
})

/** Stub of the program that opens browsers: records its arguments and exits with `code`. */
async function opener(code: number): Promise<{ env: Record<string, string>; opened: () => Promise<string> }> {
  const record = join(folder, `opened-${code}`)
  const program = join(folder, 'xdg-open')
  await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" > '${record}'\nexit ${code}\n`)
  await chmod(program, 0o755)
  return { env: { PATH: `${folder}:/bin:/usr/bin`, DISPLAY: ':7' }, opened: () => readFile(record, 'utf8') }
}

const isLink = /^http:\/\/127\.0\.0\.1:\d+\/web\/open\?code=[\w-]{43}$/

describe('coffer open', () => {
  it('opens the browser at a link that signs in, and does not print the link', async () => {
    const { env, opened } = await opener(0)
    const { code, out, err } = await home.run('open', { env })
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toContain('Opened the page of ana-lovelace in the browser; the link works once, until ')
    expect(err).not.toContain('code=')
    const url = (await opened()).slice(0, -1)
    expect(url).toMatch(isLink)
    expect((await visitor(node).open(url)).text).toContain('ana-lovelace')
  })

  it.each([
    ['without a display', 'open', {}],
    ['with --print', 'open --print --user ana-lovelace', { DISPLAY: ':7' }],
    ['without a program that opens browsers', 'open', { DISPLAY: ':7', PATH: '/nowhere' }],
    ['with -q', 'open -q', { DISPLAY: ':7' }],
  ])('prints the link %s', async (_, line, env) => {
    const { code, out } = await home.run(line, { env })
    expect(code).toBe(0)
    expect(out.trim()).toMatch(isLink)
    expect((await visitor(node).open(out.trim())).path).toBe('/web/overview')
  })

  it('prints the link when the browser cannot be opened', async () => {
    const { env } = await opener(3)
    const { out, err } = await home.run('open', { env })
    expect(out.trim()).toMatch(isLink)
    expect(err).toContain('Could not open a browser')
  })

  it('answers the link to the requested page as JSON', async () => {
    const { env } = await opener(0)
    const answer = await home.json('open --page mfa', { env })
    expect(Object.keys(answer)).toEqual(['username', 'page', 'url', 'expires'])
    expect((await visitor(node).open(String(answer['url']))).path).toBe('/web/second-factor/set-up')
  })

  it('refuses an unknown user and an unknown page', async () => {
    expect((await home.run('open --user nobody')).code).toBe(5)
    expect((await home.run('open --page elsewhere')).code).toBe(2)
  })

  it('requires a running node', async () => {
    const closed = await testHome('ana-lovelace')
    const { code, err } = await closed.run('open')
    await closed.remove()
    expect(code).toBe(7)
    expect(err).toContain('coffer start')
  })

  it('requires --user when there are several accounts', async () => {
    await home.json('users create bob-franklin --email bob@example.org --password-stdin', { stdin: 'correct horse' })
    const { code, err } = await home.run('open --print')
    expect(code).toBe(2)
    expect(err).toContain('ana-lovelace, bob-franklin')
  })
})

it.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', { DISPLAY: '' }, undefined],
  ['freebsd', {}, undefined],
] as const)('on %s with %j the browser is opened by %j', (platform, env, program) => {
  expect(browserProgram(platform, env)).toEqual(program)
})
