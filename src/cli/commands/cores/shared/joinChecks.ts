/** Checks before a node joins a platform. None of them sends the join token. */
import { Secret } from '../../../../store/model/secret.js'
import type { Bundle } from '../../../../server/platform/joining/bundle.js'
import type { EtcdMember } from '../../../../server/platform/joining/etcdProbe.js'
import { CommandError } from '../../../framework/exit.js'
import { isOlder } from '../../node/shared/versionOrder.js'

/** Checks that this version of coffer is not older than that of the platform. @throws CommandError 1 */
export async function assertVersion({ product }: Pick<Bundle, 'product'>): Promise<void> {
  const { productVersion } = await import('../../../../server/base/version.js')
  const own = productVersion()
  if (!isOlder(own, product)) return
  throw new CommandError(`The platform runs coffer ${product}, and this machine has ${own}.`, { hint: ['Update it', 'update'] })
}

/**
 * Checks that the platform answers, and that its clock differs by 30 seconds at most.
 * @param now returns milliseconds since 1970
 * @throws CommandError 69, 1
 */
export async function assertClock({ cluster }: Pick<Bundle, 'cluster'>, now: () => number): Promise<void> {
  const { compareClocks, MAX_CLOCK_DIFFERENCE } = await import('../../../../server/platform/joining/ackClient.js')
  const compared = await compareClocks({ ackUrl: cluster.ackUrl, caPem: cluster.ca.certPem }, now)
  const { origin } = new URL(cluster.ackUrl)
  if ('problem' in compared) {
    throw new CommandError(`${origin} does not answer: ${compared.problem}.`, { exit: 69, hint: 'Check that this machine reaches the other core. Nothing was written, and the bundle can be used again.' })
  }
  const { ahead } = compared
  if (Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE) return
  const seconds = Math.round(Math.abs(ahead))
  throw new CommandError(`The clock of this machine is ${seconds} seconds ${ahead > 0 ? 'ahead of' : 'behind'} that of ${origin}; ${MAX_CLOCK_DIFFERENCE} are allowed.`, {
    hint: 'Synchronise the clocks, for example with timedatectl set-ntp true. Nothing was written, and the bundle can be used again.',
  })
}

/** Checks that a member of etcd answers. @throws CommandError 69 */
export async function assertEtcdAnswers({ etcd: { endpoints, caPem, certPem, keyPem } }: Pick<Bundle, 'etcd'>): Promise<void> {
  const { probeEtcd } = await import('../../../../server/platform/joining/etcdProbe.js')
  const members = await probeEtcd({ endpoints, caPem: caPem ?? undefined, certPem: certPem ?? undefined, keyPem: keyPem === null ? undefined : new Secret(keyPem) })
  if (members.every(({ problem }) => problem !== null)) throw etcdSilent(members, 'Check that this machine reaches the members of etcd. Nothing was written, and the bundle can be used again.')
}

/** Returns the error for members of etcd none of which answers. */
export function etcdSilent(members: readonly EtcdMember[], hint: string): CommandError {
  const problems = members.map(({ endpoint, problem }) => `\n${endpoint}: ${problem ?? 'answers'}`).join('')
  return new CommandError(`No member of etcd answers.${problems}`, { exit: 69, hint })
}
