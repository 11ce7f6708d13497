/** Webhook URLs, which may contain secrets, are encrypted at rest. */
import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { findWebhook } from '../../../src/store/accesses/webhooks.js'
import { grantAccess } from '../../support/people/access.js'
import { expectSound } from '../../support/store/check.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { startSide } from '../../support/sync/pairedNodes.js'
import { placesOf, request } from '../../support/nodes/node.js'
import { newStage } from '../../support/http/methodTable.js'

const MARKS = ['zq-user', 'zq-password', 'zq-path', 'zq-query', 'zq-other']
const URL_OF = 'https://zq-user:zq-password@hooks.example.org/zq-path?key=zq-query'

it('a URL is returned to the caller and encrypted on disk', async () => {
  const side = await startSide()
  const stage = await newStage(side.node)
  const { token } = await grantAccess(side.node, stage.username, [{ streamId: '*', level: 'read' }])
  const url = `${side.node.url}${stage.username}/webhooks`
  const made = await request(url, { token, body: { url: URL_OF, state: 'inactive' } })
  expect(made).toMatchObject({ status: 201, body: { webhook: { url: URL_OF } } })
  const { id } = made.body['webhook'] as { id: string }
  expect(await request(url, { token, body: { url: URL_OF } })).toMatchObject({ status: 409 })
  await request(`${url}/${id}`, { method: 'PUT', token, body: { state: 'inactive' } })
  expect(await request(url, { token })).toMatchObject({ body: { webhooks: [{ id, url: URL_OF }] } })
  const account = (await side.node.node.accounts.find(stage.username))?.account
  if (account === undefined) throw new Error('no account')
  await account.db.compact(under(accountKeys.all(account.prefix)))
  await side.node.stop()
  const found = await textsOnDisk(side.home, MARKS)

  expect(found).toEqual([])
  await expectSound(placesOf(side.home))
  await rm(side.home, { recursive: true, force: true })
})

it('a record of an earlier format is readable', async () => {
  const seal = await createSeal(new Secret(new Uint8Array(32)))
  const plain = { id: 'w', accessId: 'a', url: URL_OF, state: 'active' }
  expect(findWebhook({ get: () => JSON.stringify(plain) }, seal, '3', 'w')).toEqual(plain)
})
