/** Redeemed and discarded secrets remain neither in logs, audit records and results, nor on disk. */
import { expect, it } from 'vitest'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { textsOnDisk } from '../../../support/store/onDisk.js'
import { callThrough, newStage } from '../../../support/http/methodTable.js'
import { request, startTestNode } from '../../../support/nodes/node.js'
import { accountKeys, under } from '../../../../src/store/engine/keys.js'
import { half, hashOf, itemsOf, createSecret, redeem } from './support.js'

const { home } = homes()

it('a redeemed or discarded secret leaves neither its value nor its sealed form', { timeout: 30_000 }, async () => {
  const directories = await home()
  const node = await startTestNode({ 'logs.level': 'debug', 'versioning.forceKeepHistory': true }, { home: directories.home })
  const stage = await newStage(node)
  const app = await stage.app([])
  const secret = 'a value that nobody keeps'
  const value = 'the passphrase that nobody keeps'
  const one = await createSecret(stage, app, { secret, signature: { type: 'secret', value } })
  const two = await createSecret(stage, app, { secret, keyHash: hashOf(half) })
  const three = await createSecret(stage, app, { secret })
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
  const { body: detail } = await callThrough('http', stage, app, 'events.getOne', { id: one.id, includeHistory: true })
  const audit = await request(`${node.url}${stage.username}/events?${new URLSearchParams({ streams: ':_audit:', limit: '1000' })}`, { token: stage.owner })
  expect(JSON.stringify(audit.body)).toContain('sharedSecrets.retrieve')
  const output = node.logged.join('') + JSON.stringify([ended, detail, audit.body])
  const scrubbed = [secret, value, one.key, one.key.split('.')[1] ?? '', half, three.key, ...sealed, ...integrities.map((text) => text.slice(-44))]
  for (const text of scrubbed) expect(output.includes(text), text).toBe(false)
  // The value was never stored in plain text; compaction removes its sealed form.
  await db.compact(under(accountKeys.all(prefix)))
  await node.stop()
  await expectSound(directories)
  expect(await textsOnDisk(directories.home, [one.id])).not.toEqual([])
  expect(await textsOnDisk(directories.home, scrubbed)).toEqual([])
})
