/** The client of etcd with a cluster of one member. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EtcdClient } from '../../../../../src/server/platform/registry/etcd/api.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../../support/services/etcd.js'
import { clients } from './clients.js'

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client with one member'), () => {
  let etcd: TestEtcd
  let client: EtcdClient
  const { connect, closeAll } = clients()
  beforeAll(async () => {
    etcd = await startEtcd()
    client = connect(etcd)
  })
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  it('writes and reads keys', async () => {
    const { revision, succeeded, results } = await client.transaction({ then: [{ put: 'a/1', value: 'ärgerlich' }, { range: { key: 'a/1' } }] })
    expect({ succeeded, results }).toEqual({
      succeeded: true,
      results: [{ put: true }, { items: [{ key: 'a/1', value: 'ärgerlich', revision }], count: 1, revision }],
    })
    expect(await client.range({ key: 'a/1' })).toEqual({ items: [{ key: 'a/1', value: 'ärgerlich', revision }], count: 1, revision })
    expect(await client.range({ key: 'a/2' })).toEqual({ items: [], count: 0, revision })
  })
})
