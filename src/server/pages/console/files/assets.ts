/** The style sheet and the script of the pages of files. */
import { createAsset } from '../../assets.js'
import { filesStyleText } from './filesStyle.js'
import { uploadScriptText } from './uploadScript.js'

export const filesStyle = createAsset('files', 'css', filesStyleText)
export const uploadScript = createAsset('upload', 'js', uploadScriptText)
