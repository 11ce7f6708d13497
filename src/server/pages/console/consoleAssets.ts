/** The style sheet and the script of the console. */
import { createAsset } from '../assets.js'
import { consoleScriptText } from './consoleScript.js'
import { consoleStyleText } from './consoleStyle.js'

export const consoleStyle = createAsset('console', 'css', consoleStyleText)
export const consoleScript = createAsset('console', 'js', consoleScriptText)
