import { useMutation } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { type Upload, upload } from "./upload.ts";

/** Called with true when an upload begins, and with false when it ends. */
export type OnUploading = (isUnderWay: boolean) => void;

/** Uploads a file for a form. `cancel` ends the upload without `onStored`. */
export function useUpload(onStored: (address: string, file: File) => void, onUploading: OnUploading) {
  const running = useRef<Upload | null>(null);
  const sending = useMutation({
    mutationFn: (file: File) => {
      running.current = upload(file, file.name, () => {});
      return running.current.stored;
    },
    onMutate: () => onUploading(true),
    onSuccess: onStored,
    onSettled: () => onUploading(false),
  });
  const cancel = useCallback((): void => running.current?.cancel(), []);
  return { ...sending, cancel };
}
