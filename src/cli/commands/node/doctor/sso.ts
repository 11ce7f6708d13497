/** Checks that third-party login is configured, and that the third parties answer. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { configuredBase } from '../../../../server/config/apiEndpoint.js'
import { ssoProblem } from '../../../../server/api/auth/sso/wiring.js'
import type { Provider } from '../../../../server/config/settings/sso.js'
import { fault, fine, off, warning, type Check, type Finding } from './finding.js'

export const sso: Check = {
  name: 'sso',
  async run({ config, context: { commandFor } }) {
    if (config?.get('sso.enabled') !== true) return [off('third-party login is disabled: sso.enabled is not set')]
    const lack = ssoProblem({ config, publicBase: () => configuredBase(config) })
    if (lack !== undefined) return [warning(`third-party login does not work: ${lack}`, commandFor('sso', 'providers'))]
    return Promise.all(Object.entries(config.get('sso.providers')).map(([id, provider]) => findingOf(id, provider, commandFor('sso', 'providers'))))
  },
}

async function findingOf(id: string, provider: Provider, next: string): Promise<Finding> {
  const { discover } = await import('../../../../server/api/auth/sso/provider.js')
  const problem = await discover(provider).then(() => undefined, causeOf)
  return problem === undefined ? fine(`${id} answers at ${provider.issuer}`) : fault(`${id} does not answer correctly at ${provider.issuer}: ${problem}`, next)
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
  return typeof cause === 'string' ? cause : errorMessage(error)
}
