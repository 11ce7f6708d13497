/** What is wrong with the certificate of the node, beside what `system.certs` lists. */
import type { NodeMethod } from '../control.js'

export const certificateMethods: Readonly<Record<string, NodeMethod>> = {
  /** `isOn`: whether the node serves HTTPS itself. `fault`: why what its files hold now is not served, or null. */
  async 'certs.problem'({ certificates }) {
    const state = await certificates.state()
    return { isOn: certificates.isOn, fault: state?.problem?.fault ?? null }
  },
}
