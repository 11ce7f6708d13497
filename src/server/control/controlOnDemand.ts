/**
 * The control of a running node, created when it is first called. The operator methods have a quarter of all schemas of the
 * program, whose creation would delay the start.
 */
import type { Method } from '../call/method.js'
import type { Node } from '../index.js'
import { createControl, type NodeControl } from './control.js'
import type { lifecycleMethods } from './lifecycleMethods.js'
import type { OperatorMethod } from './operatorMethod.js'

interface ControlOnDemand {
  /** For callers on the machine of the node. */
  readonly local: NodeControl
  /** For callers on other machines. */
  readonly remote: NodeControl
  /** Loads the operator methods before the first call. */
  prepare(): Promise<void>
}

/**
 * @param lifecycle the methods that end the process
 * @param load loads the other operator methods; after a failure, the next call loads them again
 */
export function createControlOnDemand(
  node: Node,
  methods: readonly Method<Node>[],
  lifecycle: ReturnType<typeof lifecycleMethods>,
  load: () => Promise<readonly OperatorMethod[]> = loadOperatorMethods,
): ControlOnDemand {
  let loading: Promise<readonly OperatorMethod[]> | undefined
  const operators = (): Promise<readonly OperatorMethod[]> =>
    (loading ??= load().then(
      (others) => [...others, ...lifecycle],
      (error: unknown) => {
        loading = undefined
        throw error
      },
    ))
  const controlFor = (isRemote: boolean): NodeControl => {
    let control: NodeControl | undefined
    const loaded = async (): Promise<NodeControl> => (control ??= createControl(node, methods, await operators(), { isRemote }))
    return {
      call: async (...call) => (await loaded()).call(...call),
      callWithFiles: async (...call) => (await loaded()).callWithFiles(...call),
      file: async (...call) => (await loaded()).file(...call),
    }
  }
  return {
    local: controlFor(false),
    remote: controlFor(true),
    async prepare() {
      await operators()
    },
  }
}

async function loadOperatorMethods(): Promise<readonly OperatorMethod[]> {
  const { operatorMethods } = await import('./operatorMethods.js')
  return operatorMethods
}
