/** What was handed over, or scrubbed, is nowhere any more: not in logs, records of calls, answers, or on the disk. */
import { expect, it } from 'vitest'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { textsOnDisk } from '../../../support/store/onDisk.js'
import { callThrough, newStage } from '../../../support/http/methodTable.js'
import { request, startTestNode } from '../../../support/nodes/node.js'
import { accountKeys, under } from '../../../../src/store/engine/keys.js'
import { half, hashOf, itemsOf, make, redeem } from './support.js'

const { home } = homes()

it('leaves no trace, also not of what sealed it', { timeout: 30_000 }, async () => {
  const places = await home()
  const node = await startTestNode({ 'logs.level': 'debug', 'versioning.forceKeepHistory': true }, { home: places.home })
  const stage = await newStage(node)
  const app = await stage.app([])
  const secret = 'a value that nobody keeps'
  const value = 'the passphrase that nobody keeps'
  const one = await make(stage, app, { secret, signature: { type: 'secret', value } })
  const two = await make(stage, app, { secret, keyHash: hashOf(half) })
  const three = await make(stage, app, { secret })
  const loaded = await node.node.accounts.find(stage.username)
  const { db, prefix } = loaded?.account ?? {}
  if (db === undefined || prefix === undefined) throw new Error('no account')
  const sealed = [one, two, three].map(({ id }) => {
    const text = db.get(accountKeys.sharedSecret(prefix, id)) ?? ''
    return (JSON.parse(text) as { sealed: string }).sealed
  })
  const integrities = (await itemsOf(stage, app, { streams: ':_shared-secrets:' })).map(({ integrity = '' }) => integrity)
  expect(integrities).toHaveLength(3)
  expect((await redeem(stage, one.key, { signature: { type: 'secret', payload: value } })).status).toBe(200)
  expect((await redeem(stage, `${two.id}.${half}`)).status).toBe(200)
  await callThrough('http', stage, app, 'events.delete', { id: three.id })
  const ended = await itemsOf(stage, stage.owner, { streams: ':_shared-secrets:', state: 'all' })
  const { body: whole } = await callThrough('http', stage, app, 'events.getOne', { id: one.id, includeHistory: true })
  const audit = await request(`${node.url}${stage.username}/events?${new URLSearchParams({ streams: ':_audit:', limit: '1000' })}`, { token: stage.owner })
  expect(JSON.stringify(audit.body)).toContain('sharedSecrets.retrieve')
  const told = node.logged.join('') + JSON.stringify([ended, whole, audit.body])
  const scrubbed = [secret, value, one.key, one.key.split('.')[1] ?? '', half, three.key, ...sealed, ...integrities.map((text) => text.slice(-44))]
  for (const text of scrubbed) expect(told.includes(text), text).toBe(false)
  // In clear nothing was ever there; what sealed it goes when the database compacts.
  await db.compact(under(accountKeys.all(prefix)))
  await node.stop()
  await expectSound(places)
  expect(await textsOnDisk(places.home, [one.id])).not.toEqual([])
  expect(await textsOnDisk(places.home, scrubbed)).toEqual([])
})
