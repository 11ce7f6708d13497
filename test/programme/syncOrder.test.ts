/**
 * What must be on disk before what: a file is synced before it gets its place, its place before the commit that names
 * it, the commit before its answer. A file system with a journal hides a sync of a folder that is missing from those
 * who cut its power, so the calls themselves are looked at.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeProcesses } from '../crash/process.js'
import { homes } from '../support/nodes/home.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { request, type TestNode } from '../support/nodes/node.js'
import { createFileFaults, lacksFaults } from './support/fileFaults.js'

const lack = lacksFaults()
const { home } = homes()
const env: Record<string, string> = {}
const startProcess = nodeProcesses({ env, silent: true })

it.skipIf(lack !== undefined)(`an upload is answered when all of it is on disk${lack === undefined ? '' : `: ${lack}`}`, async () => {
  const places = await home()
  const faults = createFileFaults(places.home, { log: true })
  Object.assign(env, faults.env)
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const token = String((await request(`${url}users`, { body })).body['token'])
  await request(`${url}alice/streams`, { token, body: { id: 's', name: 's' } })
  const before = faults.told().length
  const stage = { node: { url } as TestNode, username: 'alice', owner: token }
  const answer = await sendParts(stage, '/events', [eventPart({ streamIds: ['s'], type: 'a/b' }), filePart('a.txt', 'the bytes')])
  expect(answer.status).toBe(201)
  const calls = faults.told().slice(before)
  await node.kill()
  faults.remove()

  const digest = createHash('sha256').update('the bytes').digest('hex')
  const place = calls.find((call) => call.startsWith('rename ') && call.endsWith(`/${digest}`))?.slice('rename '.length) ?? ''
  const folders = [place, join(place, '..'), join(place, '../..'), join(place, '../../..')].slice(1)
  const at = (call: RegExp | string, from = 0): number =>
    calls.findIndex((one, i) => i >= from && (typeof call === 'string' ? one === call : call.test(one)))
  const moments = {
    written: at(/^write .*\/files\/\.incoming\//),
    synced: at(/^sync .*\/files\/\.incoming\//),
    placed: at(`rename ${place}`),
    committed: at(/^write .*\/store\/db\/\d+\.log$/),
  }
  const settled = at(`sync ${folders[0]}`, moments.placed)
  const acknowledgeable = at(/^sync .*\/store\/db\/\d+\.log$/, moments.committed)
  expect(Object.values(moments).every((moment) => moment >= 0), JSON.stringify(calls)).toBe(true)
  const order = [moments.written, moments.synced, moments.placed, settled, moments.committed, acknowledgeable]
  expect(order, JSON.stringify(calls)).toEqual([...order].sort((a, b) => a - b))
  expect(order).not.toContain(-1)
  // The folders that were made for it too.
  for (const folder of folders) expect(at(`sync ${folder}`), folder).toBeGreaterThanOrEqual(0)
})
