/** Operator method for problems of the node's certificate, besides `system.certs`. */
import type { NodeMethod } from '../control.js'

export const certificateMethods: Readonly<Record<string, NodeMethod>> = {
  /** `isOn`: true when the node serves HTTPS itself. `fault`: the reason why the certificate files cannot be used, or null. */
  async 'certs.problem'({ certificates }) {
    const state = await certificates.state()
    return { isOn: certificates.isOn, fault: state?.problem?.fault ?? null }
  },
}
