/** The channel of the cloud business API, as chats and numbers name their provider. */
export const cloudChannel = "platform-apicloud";
