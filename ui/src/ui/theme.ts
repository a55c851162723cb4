// Mantine's theme: only what its components read in code. Colours, sizes and spacing are CSS (tokens.css).
// Components are named, not imported: importing them would load all of them with the first page.

import { createTheme } from "@mantine/core";
import { t } from "@/lib/i18n";

// an icon alone has no name for screen readers
const closeDialog = { "aria-label": t("Close dialog") };
const closeNotification = { "aria-label": t("Close notification") };
const small = { defaultProps: { size: "xs" } };

export const theme = createTheme({
  primaryShade: 6,
  cursorType: "pointer",
  components: {
    ActionIcon: { defaultProps: { size: 26, variant: "subtle", color: "gray" } },
    Button: small,
    Checkbox: small,
    // locking the page's scroll injects a style element, which the content security policy refuses
    Modal: {
      defaultProps: {
        lockScroll: false,
        transitionProps: { duration: 100 },
        centered: true,
        closeButtonProps: closeDialog,
      },
    },
    // Enter takes the best hit of what was typed
    MultiSelect: {
      defaultProps: {
        size: "xs",
        selectFirstOptionOnChange: true,
        clearButtonProps: { "aria-label": t("Clear") },
      },
    },
    Notification: { defaultProps: { closeButtonProps: closeNotification } },
    PasswordInput: small,
    SegmentedControl: small,
    Select: {
      defaultProps: { size: "xs", allowDeselect: false, selectFirstOptionOnChange: true },
    },
    Switch: small,
    Textarea: small,
    TextInput: small,
    Tooltip: { defaultProps: { openDelay: 250, multiline: true } },
  },
});
