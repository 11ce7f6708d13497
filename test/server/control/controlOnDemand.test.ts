import { describe, expect, it } from 'vitest'
import { createControlOnDemand } from '../../../src/server/control/controlOnDemand.js'
import { lifecycleMethods } from '../../../src/server/control/lifecycleMethods.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { withNode } from '../../support/nodes/started.js'

const node = withNode()
const stopping = { stopping: true as const, pid: 1 }
const lifecycle = lifecycleMethods({ stop: () => stopping, restart: () => stopping })

describe('control on demand', () => {
  it('loads the operator methods once, when it is first called', async () => {
    let loads = 0
    const { local, remote } = createControlOnDemand(node().node, [], lifecycle, () => {
      loads += 1
      return Promise.resolve(operatorMethods)
    })
    expect(loads).toBe(0)
    const [{ users }] = await Promise.all([local.call('users.list', {}, {}), remote.call('users.list', {}, {})])
    expect(users).toBeDefined()
    expect(loads).toBe(1)
  })

  it('loads them again after a failure', async () => {
    let loads = 0
    const { local, prepare } = createControlOnDemand(node().node, [], lifecycle, () =>
      ++loads === 1 ? Promise.reject(new Error('no such file')) : Promise.resolve(operatorMethods),
    )
    await expect(prepare()).rejects.toThrow('no such file')
    expect(await local.call('node.stop', {}, {})).toEqual(stopping)
    expect(loads).toBe(2)
  })

  it('keeps methods of the machine from callers on other machines', async () => {
    const { remote } = createControlOnDemand(node().node, [], lifecycle)
    await expect(remote.call('node.stop', {}, {})).rejects.toMatchObject({ id: 'forbidden' })
  })
})
