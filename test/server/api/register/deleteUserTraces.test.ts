/** Files contain no data of a deleted account (docs/interface/registration.md#deletion-of-accounts). */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../../src/server/launch/init.js'
import { grantAccess } from '../../../support/people/access.js'
import { expectSound } from '../../../support/store/check.js'
import { attached, filePart, filesOnDisk } from '../../../support/http/multipart.js'
import { textsOnDisk } from '../../../support/store/onDisk.js'
import { placesOf, registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

const KEY = 'the admin key of the operator'
/** Texts that only the account contains. */
const ownTexts = ['zelda-quixote', 'quixote.mail@example.org', 'xyzzy-content', 'xyzzy-later', 'xyzzy-bytes', 'xyzzy-file', 'xyzzystream', 'Xyzzy Name', 'xyzzy-app', 'xyzzy-profile', 'xyzzy-preview', 'xyzzy-referer', 'xyzzy-slice', 'xyzzy-client', 'xyzzy-hook']

let home: string
let node: TestNode
const start = (): Promise<TestNode> => startTestNode({ 'auth.adminAccessKey': KEY, invitationTokens: ['one', 'two'] }, { home })

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-traces-'))
  await initialise(placesOf(home))
  node = await start()
})
afterAll(async () => {
  await node.stop()
  await rm(home, { recursive: true, force: true })
})

/** Fills an account with items of every kind. */
async function fillAccount(username: string, email: string, invitationToken: string): Promise<string> {
  const input = { username, email, password: 'correct horse', appId: 'xyzzy-app', referer: 'xyzzy-referer', invitationToken }
  const { status, body } = await request(`${node.url}users`, { body: input })
  expect(status).toBe(200)
  const owner = String(body['token'])
  const root = `${node.url}${username}`
  const call = async (path: string, sent: unknown, method = 'POST'): Promise<Record<string, unknown>> => {
    const answer = await request(`${root}${path}`, { token: owner, body: sent, method, headers: { 'user-agent': 'test' } })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  await call('/streams', { id: 'xyzzystream', name: 'Xyzzy Name' })
  for (let i = 0; i < 30; i++) {
    const { event } = (await call('/events', { streamIds: ['xyzzystream'], type: 'note/txt', content: `xyzzy-content ${i}` })) as { event: { id: string } }
    await call(`/events/${event.id}`, { content: `xyzzy-later ${i}` }, 'PUT')
  }
  const stage = { node, username, owner }
  await attached(stage, [filePart('xyzzy-file.png', 'xyzzy-bytes', 'image/png')], { streamIds: ['xyzzystream'], type: 'picture/attached' })
  await call('/profile/private', { note: 'xyzzy-profile' }, 'PUT')
  await call('/followed-slices', { name: 'xyzzy-slice', url: 'https://other.example/', accessToken: 'token' })
  const client = await grantAccess(node, username, [{ streamId: 'xyzzystream', level: 'read' }], { name: 'xyzzy-client' })
  await request(`${root}/webhooks`, { token: client.token, body: { url: 'http://127.0.0.1:1/xyzzy-hook' } })
  await request(`${root}/events?streams=xyzzystream`, { token: owner })
  await node.node.store.settled()
  return owner
}

/** URLs that may contain tokens, and are stored sealed. */
const SEALED = ['xyzzy-slice', 'xyzzy-hook']

describe('a deleted account', () => {
  it('leaves no data in any file, and other accounts unchanged', async () => {
    const { body: other } = await request(`${node.url}users`, {
      body: { username: 'other-person', email: 'other@example.org', password: 'correct horse', appId: 'test-app', invitationToken: 'two' },
    })
    const token = String(other['token'])
    await fillAccount('zelda-quixote', 'quixote.mail@example.org', 'one')
    await node.node.store.db.compact({ gte: '', lt: '\u{10ffff}' })
    await node.stop()
    node = await start()
    const loaded = await node.node.accounts.find('zelda-quixote')
    if (loaded === undefined) throw new Error('no account')
    const { prefix } = loaded.account
    // Adds a preview file in the layout of the store.
    const [file = ''] = await filesOnDisk(node)
    const preview = join(node.node.store.blobs.derivedOf(prefix, file.split('/').at(-1) ?? ''), '256x256.jpg')
    await mkdir(dirname(preview), { recursive: true })
    await writeFile(preview, 'xyzzy-preview')
    const before = await textsOnDisk(home, ownTexts)
    for (const text of ownTexts) expect(before.some((location) => location.endsWith(`: ${text}`)) || SEALED.includes(text), text).toBe(true)

    expect((await request(`${node.url}users/zelda-quixote`, { method: 'DELETE', token: KEY })).status).toBe(200)
    await node.node.store.settled()
    expect(await textsOnDisk(home, ownTexts)).toEqual([])
    expect(node.logged.join('\n')).not.toMatch(/zelda-quixote|quixote\.mail/)

    const { body } = await request(`${node.url}reg/admin/invitations`, { token: KEY })
    const used = body['invitations'] as { consumedAt?: number; consumedBy?: string }[]
    expect(used.map(({ consumedAt, consumedBy }) => [typeof consumedAt, consumedBy]).sort()).toEqual([['number', 'other-person'], ['number', undefined]].sort())
    expect((await request(`${node.url}other-person/events`, { token })).status).toBe(200)
    await node.stop()
    await expectSound(placesOf(home))
    node = await start()
    expect(await textsOnDisk(home, ownTexts)).toEqual([])
    expect((await request(`${node.url}other-person/events`, { token })).status).toBe(200)
  })
  it('is removed completely despite concurrent changes', async () => {
    const ownHome = await mkdtemp(join(tmpdir(), 'coffer-traces-'))
    const directories = placesOf(ownHome)
    await initialise(directories)
    const busy = await startTestNode({ 'auth.adminAccessKey': KEY }, { home: ownHome })
    for (let round = 0; round < 5; round++) {
      const owner = await registerUser(busy, 'busy-person')
      const root = `${busy.url}busy-person`
      const change = (i: number): Promise<Answer> =>
        i % 2 === 0
          ? request(`${root}/accesses`, { token: owner, body: { name: `share ${i}`, permissions: [{ streamId: '*', level: 'read' }] } })
          : request(`${root}/events`, { token: owner, body: { streamIds: [':system:email'], type: 'email/string', content: `busy-${i}@example.org` } })
      const changes = Array.from({ length: 20 }, (_, i) => change(i))
      const removal = request(`${busy.url}users/busy-person`, { method: 'DELETE', token: KEY })
      const later = Array.from({ length: 20 }, (_, i) => change(i + 20))
      expect((await removal).status).toBe(200)
      for (const { status } of await Promise.all([...changes, ...later])) expect(status).toBeLessThan(500)
      for (let i = 1; i < 40; i += 2) {
        expect((await request(`${busy.url}reg/busy-${i}@example.org/check_email`)).body).toMatchObject({ exists: false })
      }
    }
    await busy.stop()
    await expectSound(directories)
    await rm(ownHome, { recursive: true, force: true })
  })
})
