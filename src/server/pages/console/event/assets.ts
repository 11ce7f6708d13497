/** The style sheet and the script of the pages of events. */
import { createAsset } from '../../assets.js'
import { eventScriptText } from './eventScript.js'
import { eventStyleText } from './eventStyle.js'

export const eventStyle = createAsset('event', 'css', eventStyleText)
export const eventScript = createAsset('event', 'js', eventScriptText)
