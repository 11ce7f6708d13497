/** Records that other cores see by a watch on a real etcd: OAuth revocations, applications, mail templates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { findClient } from '../../../../src/server/api/oauth/clients.js'
import { revokeKey } from '../../../../src/server/api/oauth/dpopKeys.js'
import { addApp, findApp } from '../../../../src/server/api/register/appDirectory.js'
import { startEtcdCores, type EtcdCores } from '../../../support/nodes/etcdCores.js'
import type { TestNode } from '../../../support/nodes/node.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../support/services/etcd.js'
import { addClient } from '../../../support/people/oauth.js'

describe.skipIf(!hasEtcd)(titleWithEtcd('cores on etcd'), () => {
  let etcd: TestEtcd
  let cores: EtcdCores
  const [one, two] = [(): TestNode => cores.node('one'), (): TestNode => cores.node('two')]
  beforeAll(async () => {
    etcd = await startEtcd({ members: 1 })
    cores = await startEtcdCores(etcd, ['one', 'two'])
  })
  afterAll(async () => {
    await cores.stopAll()
    await etcd.stop()
  })

  it('share OAuth clients, and see their revocation and that of keys within a second', async () => {
    const offers = { cmcOffers: { study: { capabilityUrl: 'https://token@lab.example.org/heart-lab/' } } }
    await addClient(one(), 'study', offers)
    await expect.poll(() => findClient(two().node, 'study'), { timeout: 1000 }).toMatchObject(offers)
    const client = { id: 'study', since: 0 }
    expect(two().node.revocations.isClientRevoked({ client })).toBe(false)
    await revokeClient(one().node, 'study')
    await expect.poll(() => two().node.revocations.isClientRevoked({ client }), { timeout: 1000 }).toBe(true)
    const jkt = 'k'.repeat(43)
    await revokeKey(two().node, jkt)
    await expect.poll(() => one().node.revocations.isKeyRevoked(jkt), { timeout: 1000 }).toBe(true)
  })

  it('see changes of applications', async () => {
    await addApp(one().node, 'weight-diary', { displayName: { en: 'Weight diary' } })
    await expect.poll(() => findApp(two().node, 'weight-diary'), { timeout: 1000 }).toMatchObject({ displayName: { en: 'Weight diary' } })
  })

  it('see changes of mail templates that they have used', async () => {
    const id = { type: 'welcome-email', lang: 'en', part: 'subject' } as const
    const { templates } = two().node.mailing
    await one().node.mailing.templates.put(id, '| First')
    await expect.poll(() => templates.read(id), { timeout: 1000 }).toBe('| First')
    await one().node.mailing.templates.put(id, '| Second')
    await expect.poll(() => templates.read(id), { timeout: 1000 }).toBe('| Second')
    await one().node.mailing.templates.remove(id)
    await expect.poll(() => templates.read(id), { timeout: 1000 }).toBeUndefined()
  })

  it('answer with what they saw while etcd is away', async () => {
    await etcd.kill(0)
    expect(await findApp(two().node, 'weight-diary')).toMatchObject({ displayName: { en: 'Weight diary' } })
    expect(two().node.revocations.isClientRevoked({ client: { id: 'study', since: 0 } })).toBe(true)
    await etcd.restart(0)
    await expect.poll(() => addApp(one().node, 'later-app', { displayName: { en: 'Later' } }).then(() => true, () => false), { timeout: 20_000 }).toBe(true)
    await expect.poll(() => findApp(two().node, 'later-app'), { timeout: 10_000 }).toBeDefined()
  })
})
