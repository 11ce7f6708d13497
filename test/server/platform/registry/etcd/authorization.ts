/** Users and rights of test clusters. */
import type { Method } from '../../../../../src/server/platform/registry/etcd/etcdMessages.js'
import { endOfPrefix } from '../../../../../src/server/platform/registry/etcd/etcdMessages.js'
import { bytesField, integerField, messageField, type Encoded } from '../../../../../src/server/platform/registry/etcd/protobuf.js'
import { createConnection } from '../../../../../src/server/platform/registry/etcd/wire.js'
import type { TestEtcd } from '../../../../support/services/etcd.js'

const READ_AND_WRITE = 2

/** Adds a user who may only read and change keys with a prefix, and makes etcd ask for rights from then on. */
export async function restrictUser({ endpoints, tls }: TestEtcd, user: string, prefix: string): Promise<void> {
  const connection = createConnection(endpoints[0] ?? '', tls ?? {})
  const call = (name: string, ...fields: Encoded[]): Promise<void> => {
    const method: Method<void, void> = { path: `/etcdserverpb.Auth/${name}`, encode: () => Buffer.concat(fields), decode: () => undefined }
    return connection.call(method, undefined, { timeoutMs: 5000, needsLeader: true })
  }
  const addUser = (name: string): Promise<void> => call('UserAdd', bytesField(1, name), bytesField(2, 'password'))
  await addUser('root')
  await call('RoleAdd', bytesField(1, 'root'))
  await call('UserGrantRole', bytesField(1, 'root'), bytesField(2, 'root'))
  await addUser(user)
  await call('RoleAdd', bytesField(1, 'restricted'))
  await call('RoleGrantPermission', bytesField(1, 'restricted'), messageField(2, integerField(1, READ_AND_WRITE), bytesField(2, prefix), bytesField(3, endOfPrefix(prefix))))
  await call('UserGrantRole', bytesField(1, user), bytesField(2, 'restricted'))
  await call('AuthEnable')
  connection.close()
}
