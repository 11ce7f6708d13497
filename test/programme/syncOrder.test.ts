/**
 * Order of syncs: a file before its rename, its folder before the commit of its event, the commit before its answer. Power
 * cuts cannot detect a missing sync of a folder on a journaling file system, so this test inspects the calls.
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

it.skipIf(lack !== undefined)(`an upload is answered after all of its data is on disk${lack === undefined ? '' : `: ${lack}`}`, async () => {
  const places = await home()
  const faults = createFileFaults(places.home, { log: true })
  Object.assign(env, faults.env)
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const token = String((await request(`${url}users`, { body })).body['token'])
  await request(`${url}alice/streams`, { token, body: { id: 's', name: 's' } })
  const before = faults.calls().length
  const stage = { node: { url } as TestNode, username: 'alice', owner: token }
  const answer = await sendParts(stage, '/events', [eventPart({ streamIds: ['s'], type: 'a/b' }), filePart('a.txt', 'the bytes')])
  expect(answer.status).toBe(201)
  const calls = faults.calls().slice(before)
  await node.kill()
  faults.remove()

  const digest = createHash('sha256').update('the bytes').digest('hex')
  const path = calls.find((call) => call.startsWith('rename ') && call.endsWith(`/${digest}`))?.slice('rename '.length) ?? ''
  const folders = [path, join(path, '..'), join(path, '../..'), join(path, '../../..')].slice(1)
  const at = (call: RegExp | string, from = 0): number =>
    calls.findIndex((one, i) => i >= from && (typeof call === 'string' ? one === call : call.test(one)))
  const steps = {
    written: at(/^write .*\/files\/\.incoming\//),
    synced: at(/^sync .*\/files\/\.incoming\//),
    renamed: at(`rename ${path}`),
    committed: at(/^write .*\/store\/db\/\d+\.log$/),
  }
  const folderSynced = at(`sync ${folders[0]}`, steps.renamed)
  const commitSynced = at(/^sync .*\/store\/db\/\d+\.log$/, steps.committed)
  expect(Object.values(steps).every((step) => step >= 0), JSON.stringify(calls)).toBe(true)
  const order = [steps.written, steps.synced, steps.renamed, folderSynced, steps.committed, commitSynced]
  expect(order, JSON.stringify(calls)).toEqual([...order].sort((a, b) => a - b))
  expect(order).not.toContain(-1)
  // Including the created folders.
  for (const folder of folders) expect(at(`sync ${folder}`), folder).toBeGreaterThanOrEqual(0)
})
