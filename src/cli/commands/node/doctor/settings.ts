/** Checks that the settings can be read. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { fault, fine, type Check } from './finding.js'

export const settings: Check = {
  name: 'settings',
  async run({ config, paths, context }) {
    if (config !== undefined) return [fine(`${paths.config} can be read`)]
    const { loadConfig } = await import('../../../../server/config/config.js')
    try {
      loadConfig({ file: paths.config, env: context.env })
      return [fine(`${paths.config} can be read`)]
    } catch (error) {
      return [fault(errorMessage(error), context.commandFor('help', 'settings'))]
    }
  },
}
