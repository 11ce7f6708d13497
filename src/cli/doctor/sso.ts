/** Whether people can sign in through the third parties of the settings, and whether those answer. */
import { configuredBase } from '../../server/apiEndpoint.js'
import { lackOfThirdParties } from '../../server/auth/sso/wiring.js'
import type { Provider } from '../../server/config/settings/sso.js'
import { fault, fine, off, warning, type Check, type Finding } from './finding.js'

export const sso: Check = {
  name: 'sso',
  async run({ config, context: { commandFor } }) {
    if (config?.get('sso.enabled') !== true) return [off('nobody signs in through third parties: sso.enabled is not set')]
    const lack = lackOfThirdParties({ config, publicBase: () => configuredBase(config) })
    if (lack !== undefined) return [warning(`nobody can sign in through third parties: ${lack}`, commandFor('sso', 'providers'))]
    return Promise.all(Object.entries(config.get('sso.providers')).map(([id, provider]) => findingOf(id, provider, commandFor('sso', 'providers'))))
  },
}

async function findingOf(id: string, provider: Provider, next: string): Promise<Finding> {
  const { discover } = await import('../../server/auth/sso/provider.js')
  const problem = await discover(provider).then(() => undefined, causeOf)
  return problem === undefined ? fine(`${id} answers at ${provider.issuer}`) : fault(`${id} does not answer at ${provider.issuer} as a third party does: ${problem}`, next)
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
  return typeof cause === 'string' ? cause : error instanceof Error ? error.message : String(error)
}
