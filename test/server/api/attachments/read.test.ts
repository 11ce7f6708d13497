/** Download and deletion of attachments (docs/interface/attachments.md#download, docs/interface/attachments.md#deletion). */
import { createHmac } from 'node:crypto'
import { rm, truncate } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../../support/people/access.js'
import { integrityOf } from '../../../support/oracles/integrity.js'
import {
  attached,
  attachedBytes,
  attachmentsIn,
  download,
  filePart,
  filesOnDisk,
  sendParts,
  sha256,
  type Attached,
} from '../../../support/http/multipart.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { rawRequest } from '../../../support/http/rawRequest.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

type Json = Record<string, unknown>

let node: TestNode
let stage: Stage
const TEXT = '0123456789'

async function stageOn(one: TestNode): Promise<Stage> {
  const created = await newStage(one)
  for (const id of ['s', 'other']) await created.arrange('streams.create', { id, name: id })
  return created
}

/** Creates an event with one file; returns the path of the file below the account. */
async function attachOne(s: Stage, file = filePart('a b.txt', TEXT), event?: Json): Promise<{ path: string; id: string; file: Attached }> {
  const { id, files } = await attached(s, [file], event)
  const [attachment] = files
  if (attachment === undefined) throw new Error('no file')
  return { path: `/events/${id}/${attachment.id}`, id, file: attachment }
}

beforeAll(async () => {
  node = await startTestNode()
  stage = await stageOn(node)
})
afterAll(() => node.stop())

describe('a file', () => {
  it('is returned with its type, length, name and digest, and the id of the access', async () => {
    const { path } = await attachOne(stage, filePart("für ()'*.txt", TEXT))
    const { status, headers, bytes } = await download(stage, path)
    expect([status, bytes.toString()]).toEqual([200, TEXT])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent("für ()'*.txt")}`,
      digest: `SHA-256=${sha256(TEXT)}`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'svc-access-id': expect.stringMatching(/^[a-z0-9]{24}$/) as string,
      'api-version': node.node.apiVersion,
    })
    expect(headers.has('content-security-policy')).toBe(false)
    expect(headers.has('content-range')).toBe(false)
  })

  it('is returned to HEAD without its bytes', async () => {
    const { path } = await attachOne(stage)
    const { status, headers, bytes } = await download(stage, path, { method: 'HEAD' })
    expect([status, headers.get('content-length'), bytes.length]).toEqual([200, '10', 0])
  })

  it.each(['/a%20b.txt', '/any.thing', `/${encodeURIComponent('#?&=+ é"<>%')}`, '/series'])(
    'is returned with %s after its id',
    async (suffix) => {
      const { path } = await attachOne(stage)
      expect((await download(stage, path + suffix)).bytes.toString()).toBe(TEXT)
    },
  )

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=0-', 206, TEXT, 'bytes 0-9/10'],
    ['bytes=9-', 206, '9', 'bytes 9-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-100', 206, TEXT, 'bytes 0-9/10'],
    ['bytes=4-100', 206, '456789', 'bytes 4-9/10'],
    ['bytes=5-2', 200, TEXT, null],
    ['bytes=0-1,3-4', 200, TEXT, null],
    ['lines=1-2', 200, TEXT, null],
    ['bytes=-', 200, TEXT, null],
  ])('requested in the range %s answers %i', async (range, status, text, contentRange) => {
    const { path } = await attachOne(stage)
    const answer = await download(stage, path, { headers: { range } })
    expect([answer.status, answer.bytes.toString(), answer.headers.get('content-range')]).toEqual([status, text, contentRange])
    expect(answer.headers.get('content-length')).toBe(String(text.length))
  })

  it.each(['bytes=10-', 'bytes=-0', 'bytes=100-200'])('refuses the range %s', async (range) => {
    const { path } = await attachOne(stage)
    const answer = await download(stage, path, { headers: { range } })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(answer.headers.has('content-disposition')).toBe(false)
  })

  it('is sent completely for a range with If-Range, because it has no ETag', async () => {
    const { path } = await attachOne(stage)
    const answer = await download(stage, path, { headers: { range: 'bytes=1-2', 'if-range': '"x"' } })
    expect(answer.status).toBe(200)
  })

  it.each([
    'text/html',
    'TEXT/HTML',
    'text/html; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'application/atom+xml',
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'text/javascript1.5',
    'application/ecmascript',
    'text/x-ecmascript',
    'multipart/x-mixed-replace',
  ])('of type %s is sandboxed', async (type) => {
    const { path, file } = await attachOne(stage, filePart('a', '<x/>', type))
    for (const pending of [download(stage, path), download(stage, `${path}?readToken=${file.readToken}`, { token: null })]) {
      const { status, headers } = await pending
      expect([status, headers.get('content-security-policy')]).toEqual([200, `sandbox; default-src 'none'`])
    }
  })

  it.each(['image/png', 'image/jpeg', 'application/pdf', 'application/json', 'text/plain', 'application/octet-stream'])(
    'of type %s is not sandboxed',
    async (type) => {
      const { path } = await attachOne(stage, filePart('a', 'x', type))
      const { headers } = await download(stage, path)
      expect([headers.get('content-type'), headers.get('content-security-policy')]).toEqual([type, null])
    },
  )

  it('gets the type application/octet-stream if its type is invalid in a header', async () => {
    const { file } = await attachOne(stage, filePart('a', 'x', 'téxt/ö'))
    expect(file.type).toBe('application/octet-stream')
  })

  it('is not found if it is unknown, or if its event is unknown', async () => {
    const { id } = await attachOne(stage)
    for (const path of [`/events/${id}/nope`, '/events/cunknown00000000000000000/nope', '/events/__proto__/constructor']) {
      const { status, bytes } = await download(stage, path)
      expect([status, JSON.parse(bytes.toString())]).toMatchObject([404, { error: { id: 'unknown-resource' } }])
    }
  })

  it.each([
    ['missing', (path: string) => rm(path)],
    ['truncated', (path: string) => truncate(path, 3)],
  ])('whose bytes are %s answers an error in JSON, without headers of a file', async (_, damage) => {
    const text = `bytes to be lost: ${_}`
    const { path } = await attachOne(stage, filePart('a', text))
    const digest = sha256(text, 'hex')
    await damage((await filesOnDisk(node)).find((file) => file.endsWith(digest)) ?? '')
    const { status, headers, bytes } = await download(stage, path)
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([500, { error: { id: 'unexpected-error' } }])
    expect([headers.has('content-disposition'), headers.has('digest')]).toEqual([false, false])
  })

  it('that is truncated during the response closes the connection', async () => {
    const { path } = await attachOne(stage, filePart('large', Buffer.alloc(40 * 1024 * 1024, 7)))
    const response = await fetch(`${node.url}${stage.username}${path}`, { headers: { authorization: stage.owner } })
    const reader = response.body?.getReader()
    await reader?.read()
    const digest = sha256(Buffer.alloc(40 * 1024 * 1024, 7), 'hex')
    await truncate((await filesOnDisk(node)).find((file) => file.endsWith(digest)) ?? '', 1024)
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })(),
    ).rejects.toThrow()
  })
})

describe('reading a file', () => {
  it('is refused with an invalid read token or an auth parameter, even with a valid header', async () => {
    const { path, file } = await attachOne(stage)
    const good = file.readToken
    const queries = ['readToken=x', `readToken=${good}x`, `readToken=${good.slice(0, -1)}`, 'readToken=__proto__-x', `readToken=x&readToken=${good}`]
    queries.push(`auth=${stage.owner}`, 'auth=x', `auth=${stage.owner}&readToken=${good}`)
    for (const query of queries) {
      for (const suffix of ['', '/a.txt']) {
        const { status, bytes, headers } = await download(stage, `${path}${suffix}?${query}`)
        expect([query, status, JSON.parse(bytes.toString())]).toMatchObject([query, 401, { error: { id: 'invalid-access-token' } }])
        expect(headers.has('content-disposition')).toBe(false)
      }
    }
    expect((await download(stage, `${path}?readToken=${good}`)).status).toBe(200)
    expect((await download(stage, `${path}?readToken=`)).status).toBe(200)
    expect((await download(stage, `${path}?readToken=${good}`, { token: 'unknown' })).status).toBe(403)
  })

  it('requires a token in the header or a valid read token, without auth parameter', async () => {
    const { path, file } = await attachOne(stage)
    const refused = [path, `${path}?auth=${stage.owner}`, `${path}?readToken=`, `${path}?readToken=x`]
    refused.push(`${path}?readToken=${file.readToken}x`, `${path}?readToken=${file.readToken.slice(0, -1)}`)
    refused.push(`${path}?readToken=__proto__-x`, `${path}?readToken=-x`, `${path}?readToken=constructor-${'x'.repeat(27)}`)
    for (const one of refused) {
      const { status, bytes } = await download(stage, one, { token: null })
      expect([one, status, JSON.parse(bytes.toString())]).toMatchObject([one, 401, { error: { id: 'invalid-access-token' } }])
    }
    expect((await download(stage, path, { token: `Bearer ${stage.owner}` })).status).toBe(200)
    expect((await download(stage, path, { token: 'unknown' })).status).toBe(403)
  })

  it('is allowed with the read token alone, which is a signature of file id and token', async () => {
    const { path, file } = await attachOne(stage)
    const secret = String(node.node.config.get('auth.filesReadTokenSecret'))
    const dash = file.readToken.indexOf('-')
    const signature = createHmac('sha1', secret).update(`${file.id}-${stage.owner}`).digest('base64')
    expect(file.readToken.slice(dash + 1)).toBe(signature.replaceAll('/', '_').replaceAll('+', '-').replace('=', ''))
    const { status, headers, bytes } = await download(stage, `${path}/a.txt?readToken=${file.readToken}`, { token: null })
    expect([status, bytes.toString(), headers.get('svc-access-id')]).toEqual([200, TEXT, file.readToken.slice(0, dash)])
  })

  it('is possible with read tokens per access, which every method returns', async () => {
    const s = await stageOn(node)
    const { id, path, file } = await attachOne(s)
    const { token, id: accessId } = await grantAccess(node, s.username, [{ streamId: 's', level: 'manage' }])
    const root = `${node.url}${s.username}`
    const both = (await request(`${root}/events?limit=5`, { token })).body['events'] as Json[]
    const answers = [
      (await request(`${root}/events/${id}`, { token })).body,
      { event: both.find((event) => event['id'] === id) },
      (await request(`${root}/events/${id}`, { token, method: 'PUT', body: { content: 'y' } })).body,
      ((await request(root, { token, body: [{ method: 'events.getOne', params: { id } }] })).body['results'] as Json[])[0] ?? {},
      ((await request(root, { token, body: [{ method: 'events.get', params: {} }] })).body['results'] as Json[]).map((result) => ({
        event: (result['events'] as Json[]).find((event) => event['id'] === id),
      }))[0] ?? {},
      (await request(`${root}/events/${id}`, { token, method: 'DELETE' })).body,
    ]
    const tokens = answers.map((answer) => attachmentsIn(answer)[0]?.readToken ?? '')
    expect(new Set(tokens)).toEqual(new Set([expect.stringMatching(new RegExp(`^${accessId}-[\\w-]{27}$`))]))
    expect(tokens[0]).not.toBe(file.readToken)
    expect((await download(s, `${path}?readToken=${tokens[0] ?? ''}`, { token: null })).status).toBe(200)
  })

  it('is limited to the permissions of the access, also with a read token', async () => {
    const s = await stageOn(node)
    const { path, id } = await attachOne(s, undefined, { streamIds: ['s', 'other'], type: 'a/b' })
    const readable = await s.app([{ streamId: 'other', level: 'read' }])
    const shared = (await grantAccess(node, s.username, [{ streamId: 's', level: 'read' }], { type: 'shared' })).token
    for (const token of [readable, shared]) {
      const [visible] = attachmentsIn((await request(`${node.url}${s.username}/events/${id}`, { token })).body)
      expect((await download(s, path, { token })).status).toBe(200)
      expect((await download(s, `${path}?readToken=${visible?.readToken ?? ''}`, { token: null })).status).toBe(200)
    }
    const createOnly = await grantAccess(node, s.username, [{ streamId: 's', level: 'create-only' }])
    const otherStream = await grantAccess(node, s.username, [{ streamId: 'nowhere', level: 'read' }])
    const excluded = await grantAccess(node, s.username, [
      { streamId: 's', level: 'read' },
      { streamId: 'other', level: 'none' },
    ])
    const secret = String(node.node.config.get('auth.filesReadTokenSecret'))
    for (const access of [createOnly, otherStream, excluded]) {
      const signature = createHmac('sha1', secret).update(`${path.split('/')[3] ?? ''}-${access.token}`).digest('base64url')
      expect((await download(s, path, { token: access.token })).status).toBe(403)
      expect((await download(s, `${path}?readToken=${access.id}-${signature}`, { token: null })).status).toBe(403)
    }
  })

  it('is refused with the read token of an expired access, or of another file or account', async () => {
    const s = await stageOn(node)
    const { path, file } = await attachOne(s)
    const other = await attachOne(s)
    const foreign = await attachOne(stage)
    expect((await download(s, `${path}?readToken=${other.file.readToken}`, { token: null })).status).toBe(401)
    expect((await download(s, `${path}?readToken=${foreign.file.readToken}`, { token: null })).status).toBe(401)
    const expired = await grantAccess(node, s.username, [{ streamId: '*', level: 'read' }], { expires: 1 })
    const secret = String(node.node.config.get('auth.filesReadTokenSecret'))
    const signature = createHmac('sha1', secret).update(`${file.id}-${expired.token}`).digest('base64url')
    expect((await download(s, `${path}?readToken=${expired.id}-${signature}`, { token: null })).status).toBe(403)
  })
})

const withFile = async (s: Stage): Promise<Json> => {
  await s.arrange('streams.create', { id: 's', name: 's' })
  const { id, file } = await attachOne(s)
  await sendParts(s, `/events/${id}`, [filePart('b', 'other')])
  await watch(s)
  return { id, fileId: file.id }
}

describeMethod('events.deleteAttachment', [
  {
    it: 'removes the file from the event and the disk, and announces one change',
    given: withFile,
    gives: 200,
    async then(result, s) {
      const event = result['event'] as Json
      expect(attachmentsIn(result).map(({ fileName }) => fileName)).toEqual(['b'])
      expect(event['integrity']).toBe(integrityOf(event))
      expect(Number(event['modified'])).toBeGreaterThan(Number(event['created']))
      expect(announced(s)).toEqual([`event update ${String(event['id'])}`])
      expect(await attachedBytes(s)).toBe(5)
      await s.node.node.store.blobs.settled()
      const loaded = await s.node.node.accounts.find(s.username)
      const folder = `/files/${loaded?.account.prefix ?? ''}/`
      expect((await filesOnDisk(s.node)).filter((file) => file.includes(folder))).toHaveLength(1)
    },
  },
  {
    it: 'refuses an unknown file',
    given: async (s) => ({ ...(await withFile(s)), fileId: 'nope' }),
    gives: [404, 'unknown-resource'],
  },
  {
    it: 'refuses an unknown event',
    send: { id: 'cunknown00000000000000000', fileId: 'nope' },
    gives: [404, 'unknown-resource'],
  },
  { it: 'refuses an access with read', given: withFile, as: [{ streamId: 's', level: 'read' }], gives: [403, 'forbidden'] },
  {
    it: 'refuses an access with create-only',
    given: withFile,
    as: [{ streamId: 's', level: 'create-only' }],
    gives: [403, 'forbidden'],
  },
  { it: 'accepts an access with contribute', given: withFile, as: [{ streamId: 's', level: 'contribute' }], gives: 200 },
  {
    it: 'removes the list with the last file',
    async given(s) {
      const { id, fileId } = await withFile(s)
      await s.arrange('events.deleteAttachment', { id, fileId })
      const { event } = await s.arrange('events.getOne', { id })
      return { id, fileId: attachmentsIn({ event })[0]?.id }
    },
    gives: 200,
    then: (result) => expect(result['event']).not.toHaveProperty('attachments'),
  },
])

describe('the bytes of a file', () => {
  it('are stored once, and deleted with the last event that references them', async () => {
    const s = await stageOn(node)
    const bytes = `shared bytes of ${s.username}`
    const [a, b] = [await attachOne(s, filePart('a', bytes)), await attachOne(s, filePart('b', bytes))]
    const digest = sha256(bytes, 'hex')
    const copies = async (): Promise<number> => {
      await node.node.store.blobs.settled()
      return (await filesOnDisk(node)).filter((file) => file.endsWith(digest)).length
    }
    expect([await copies(), await attachedBytes(s)]).toEqual([1, 2 * bytes.length])
    await s.arrange('events.delete', { id: a.id })
    await s.arrange('events.delete', { id: a.id })
    expect([await copies(), await attachedBytes(s)]).toEqual([1, bytes.length])
    expect((await download(s, a.path)).status).toBe(404)
    expect((await download(s, b.path)).bytes.toString()).toBe(bytes)
    await s.arrange('streams.delete', { id: 's' })
    await s.arrange('streams.delete', { id: 's', mergeEventsWithParent: false })
    expect([await copies(), await attachedBytes(s)]).toEqual([0, 0])
  })

  it('are counted in the account streams', async () => {
    const s = await stageOn(node)
    await attachOne(s)
    const { events } = await s.arrange('events.get', { streams: [':_system:storageUsed'] })
    expect(events).toEqual(expect.arrayContaining([expect.objectContaining({ id: ':_system:attachedFiles', content: 10 })]))
    for (const event of events as Json[]) expect(event['integrity']).toBe(integrityOf(event))
  })

  it('have no digest if integrity is disabled, and the configured one otherwise', async () => {
    for (const [settings, digest, integrity] of [
      [{ 'integrity.isActive.attachments': false }, null, undefined],
      [{ 'integrity.algorithm': 'sha512' }, /^SHA-512=/, /^sha512-/],
      [{ 'integrity.algorithm': 'sha1' }, /^SHA=/, /^sha1-/],
      [{ 'integrity.algorithm': 'md5' }, /^MD5=/, /^md5-/],
    ] as const) {
      const other = await startTestNode(settings)
      try {
        const s = await stageOn(other)
        const { path, file } = await attachOne(s)
        const { headers, bytes } = await download(s, path)
        expect(bytes.toString()).toBe(TEXT)
        if (digest === null) expect([headers.has('digest'), 'integrity' in file]).toEqual([false, false])
        else {
          expect(headers.get('digest')).toMatch(digest)
          expect(file.integrity).toMatch(integrity)
        }
        const [name] = (await filesOnDisk(other)).map((file) => file.split('/').at(-1))
        expect(name).toBe(sha256(TEXT, 'hex'))
      } finally {
        await other.stop()
      }
    }
  })

  it('are deleted with the account', async () => {
    const s = await stageOn(node)
    await attachOne(s, filePart('a', 'bytes of an account that goes'))
    const loaded = await node.node.accounts.find(s.username)
    const key = String(node.node.config.get('auth.adminAccessKey'))
    const { status } = await request(`${node.url}users/${s.username}`, { method: 'DELETE', token: key })
    expect(status).toBe(200)
    const folder = `/files/${loaded?.account.prefix ?? ''}/`
    expect((await filesOnDisk(node)).filter((file) => file.includes(folder))).toEqual([])
  })
})

describe('connections', () => {
  it('stay open for further calls after a file', async () => {
    const { path } = await attachOne(stage)
    const ask = `GET /${stage.username}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${stage.owner}\r\n`
    const { text } = await rawRequest(node.port, `${ask}\r\n${ask}Connection: close\r\n\r\n`)
    expect(text.split(TEXT)).toHaveLength(3)
  })
})
