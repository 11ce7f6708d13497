/** The style sheet of the pages of devices. */
import { createAsset } from '../../assets.js'
import { deviceStyleText } from './deviceStyle.js'

export const deviceStyle = createAsset('devices', 'css', deviceStyleText)
