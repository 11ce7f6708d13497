/** Export of an account as a download: contents, confirmation, interruption. */
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { importAccount } from '../../../../src/server/accountTransfer/importAccount.js'
import { openArchive } from '../../../../src/store/backup/archive.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { isDownloading } from '../../../../src/server/accountTransfer/accountDownload.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'
import { unzip } from '../../../support/http/unzip.js'

const PASSWORD = 'correct horse'
const FILE = '/web/settings/export/file'
const clock = fakeClock()
let node: TestNode
let folder: string
let people = 0
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  folder = await mkdtemp(join(tmpdir(), 'coffer-zip-'))
})
afterAll(async () => {
  await node.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Person {
  username: string
  token: string
  browser: Visitor
}

/** Registers an account with a stream, an event with a file, and a link. */
async function person(file = 'the content of a file'): Promise<Person> {
  people += 1
  const username = `exporter-${people}`
  const token = await registerUser(node, username)
  const url = `${node.url}${username}/`
  await request(`${url}streams`, { token, body: { id: 'diary', name: 'Tagebuch ✏️' } })
  await request(`${url}events`, { token, body: { streamIds: ['diary'], type: 'note/txt', content: 'first' } })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached-basic' }))
  form.append('file', new Blob([file], { type: 'text/plain' }), 'letter.txt')
  const response = await fetch(`${url}events`, { method: 'POST', headers: { authorization: token }, body: form })
  expect(response.status).toBe(201)
  await request(`${url}accesses`, { token, body: { type: 'shared', name: 'doctor', permissions: [{ streamId: 'diary', level: 'read' }] } })
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password: PASSWORD })
  return { username, token, browser }
}

async function confirm({ browser }: Person, password = PASSWORD): Promise<void> {
  await browser.open('/web/settings/export')
  await browser.submit({ password })
}

const download = ({ browser }: Person, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(FILE, node.url), { redirect: 'manual', headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }, ...init })

describe('the export', () => {
  it('is the folder that the command line writes, and can be imported', async () => {
    const one = await person()
    await confirm(one)
    expect(one.browser.page.text).toContain('Your export is ready.')
    expect(one.browser.page.html).toContain(`href="${FILE}"`)
    const response = await download(one)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="coffer-${one.username}-2023-11-14.zip"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    const files = unzip(Buffer.from(await response.arrayBuffer()))
    const top = `coffer-${one.username}-2023-11-14`
    for (const [name, content] of files) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    const archive = await openArchive(join(folder, top), () => Promise.resolve(new Secret('')))
    expect(archive.manifest.counts).toMatchObject({ users: 1, streams: 1, events: 2, attachments: 1, files: 1, accesses: 3 })
    const other = await startTestNode({}, { clock })
    try {
      const imported = await importAccount(other.node, archive)
      expect(imported).toMatchObject({ username: one.username, refused: 0, differences: [] })
      const { status, body } = await request(`${other.url}${one.username}/events?streams[]=diary`, { token: one.token })
      expect({ status, events: (body['events'] as unknown[]).length }).toEqual({ status: 200, events: 2 })
    } finally {
      await other.stop()
    }
    expect(node.logged.join('')).toContain('the export of the account is complete')
    expect(node.logged.join('')).not.toContain(one.token)
  })

  it('needs the password, and the session that entered it, for ten minutes', async () => {
    const one = await person()
    expect((await download(one)).status).toBe(303)
    await confirm(one, 'wrong')
    expect(one.browser.page.status).toBe(400)
    expect(one.browser.page.text).toContain('The password is wrong.')
    expect((await download(one)).status).toBe(303)
    await confirm(one)
    const head = await download(one, { method: 'HEAD' })
    expect(head.status).toBe(200)
    const other = await person()
    for (const [name, value] of one.browser.cookies) if (name.endsWith('_export')) other.browser.cookies.set(name, value)
    expect((await download(other)).status).toBe(303)
    clock.pass(601)
    expect((await download(one)).status).toBe(303)
  })

  it('names files that cannot be read, and contains the rest', async () => {
    const one = await person('a letter that gets damaged')
    const { account } = (await node.node.accounts.find(one.username)) ?? expect.fail('no account')
    const { attachments } = ((await request(`${node.url}${one.username}/events?types[]=file/attached-basic`, { token: one.token })).body['events'] as { attachments: { integrity?: string }[] }[])[0] ?? { attachments: [] }
    const sha256 = Buffer.from((attachments[0]?.integrity ?? '').replace(/^sha256-/i, ''), 'base64').toString('hex')
    await truncate(node.node.store.blobs.pathOf(account.prefix, sha256), 3)
    await confirm(one)
    const files = unzip(Buffer.from(await (await download(one)).arrayBuffer()))
    const [[, report] = ['', Buffer.alloc(0)]] = [...files].filter(([name]) => name.endsWith('/not-exported.txt'))
    expect(report.toString()).toMatch(/^event \w+: its attached file \w+ has changed\n$/)
    expect([...files.keys()].some((name) => name.includes('/members/'))).toBe(false)
  })

  it('breaks the connection when it fails, so that no incomplete file looks whole', async () => {
    const one = await person()
    await confirm(one)
    const spy = vi.spyOn(node.node.store.blobs, 'pathOf').mockImplementation(() => {
      throw new Error('the disk is gone')
    })
    try {
      const response = await download(one)
      await expect(response.arrayBuffer()).rejects.toThrow()
    } finally {
      spy.mockRestore()
    }
    expect(node.logged.join('')).toContain('the export of the account was not completed')
  })

  it('ends when the receiver leaves, and runs once at a time', async () => {
    const one = await person('x'.repeat(8_000_000))
    const { account } = (await node.node.accounts.find(one.username)) ?? expect.fail('no account')
    const noise = new FormData()
    noise.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached-basic' }))
    const bytes = new Uint8Array(9_000_000)
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, bytes.length)))
    noise.append('file', new Blob([bytes]), 'noise.bin')
    expect((await fetch(`${node.url}${one.username}/events`, { method: 'POST', headers: { authorization: one.token }, body: noise })).status).toBe(201)
    await confirm(one)
    const leaving = new AbortController()
    const response = await download(one, { signal: leaving.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    await vi.waitFor(() => expect(isDownloading(node.node, account.prefix)).toBe(true))
    const second = await download(one)
    expect([second.status, second.headers.get('location')]).toEqual([303, '/web/settings/export?running=1'])
    leaving.abort()
    await vi.waitFor(() => expect(isDownloading(node.node, account.prefix)).toBe(false), { timeout: 10_000 })
  })
})
