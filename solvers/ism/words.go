package ism

var (
	paradigmWords = []string{"supervised", "unsupervised", "semisupervised", "alternative"}
	engineWords   = []string{"auto", "exact", "linear"}
)
